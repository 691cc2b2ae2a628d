//! Pairs of elements of which one thread accesses both: swaps.
//!
//! **Rules.** Let a number `i` decide the thread, and let `p = i ^ j` with a `j` that is the same for both threads. Where
//! accesses come only if `i < p`, those of two threads at `i` and `p` are apart, also crosswise: if the first
//! thread's `i` is the `p` of the second one, the `i` of that is the `p` of the first one, so of both threads `i` is less
//! than that of the other one. Two threads with one `p` have one `i`. The same holds where only the greater one
//! accesses both.
//!
//! Addresses are a factor times `i` or `p`, plus terms that are the same for both threads. The bytes of an access lie within a
//! factor, so numbers that differ are apart if the greatest one, times the factor, does not wrap.

use super::apart::{Among, Place, decide_thread};
use super::inequality::Need;
use super::parts::{Pair, What, scaled};
use crate::analysis::digits::{Digit, NONE, Term};
use crate::ssa::Value;
use crate::ssa::op::Op;
use vyre_ir::ir::BinaryOp;

/// An address as a factor times a number.
struct Scaled {
    is_partner: bool,
    factor: i64,
    constant: i64,
    bytes: u64,
    rest: Vec<Term>,
}

/// True if two accesses are those of swaps. Adds what the launch has to keep.
pub(super) fn are_apart(pair: &Pair<'_>, among: Among, places: [Place<'_>; 2], needs: &mut Vec<Need>) -> bool {
    let terms = places.iter().flat_map(|(form, ..)| form.terms);
    terms.into_iter().any(|term| {
        let Digit::Value(partner) = pair.digits.digit(term.digit).digit else {
            return false;
        };
        let Op::Binary {
            op: BinaryOp::Xor,
            a,
            b,
            ..
        } = pair.function.op(partner)
        else {
            return false;
        };
        [(a, b), (b, a)].into_iter().any(|(own, by)| {
            is_same(pair, by) && {
                let mut more = Vec::new();
                let found = is_swap(pair, among, places, (own, partner), &mut more);
                needs.extend(if found { more } else { Vec::new() });
                found
            }
        })
    })
}

/// True if a value is the same for both threads.
fn is_same(pair: &Pair<'_>, value: Value) -> bool {
    let form = pair.digits.form(value);
    form.is_some_and(|form| form.terms.iter().all(|term| (pair.is_same)(term.digit)))
}

fn is_swap(
    pair: &Pair<'_>,
    among: Among,
    places: [Place<'_>; 2],
    (own, partner): (Value, Value),
    needs: &mut Vec<Need>,
) -> bool {
    let is_below = |less: Value, greater: Value| pair.sites.iter().all(|site| site.is_below(less, greater));
    let greater = match (is_below(own, partner), is_below(partner, own)) {
        (true, _) => partner,
        (_, true) => own,
        _ => return false,
    };
    let [Some(a), Some(b)] = places.map(|place| parts(pair, place, own, partner)) else {
        return false;
    };
    let is_rest_same =
        a.rest.len() == b.rest.len() && (a.rest.iter()).all(|term| b.rest.contains(term) && (pair.is_same)(term.digit));
    if a.factor != b.factor || !is_rest_same {
        return false;
    }
    let factor = i128::from(a.factor);
    let end = |it: &Scaled| i128::from(it.constant) + i128::from(it.bytes);
    let first = i128::from(a.constant.min(b.constant));
    let most = pair.sites.map(|site| site.most(greater));
    let most = i128::from(most[0].max(most[1]));
    if end(&a).max(end(&b)) - first > factor || factor.saturating_mul(most + 1) > 1 << places[0].0.bits {
        return false;
    }
    if a.is_partner != b.is_partner {
        return true;
    }
    // Both have one number, which has to decide the thread.
    [false, true].into_iter().any(|asks| {
        let mut more = Vec::new();
        let found = decide_thread(pair, among, vec![What::Value(own)], asks, &mut more).is_ok();
        needs.extend(if found { more } else { Vec::new() });
        found
    })
}

/// An address as a multiple of a number or of its partner, with the terms that are left.
fn parts(pair: &Pair<'_>, (form, offset, bytes): Place<'_>, own: Value, partner: Value) -> Option<Scaled> {
    let terms: Vec<Term> = (form.terms.iter().copied())
        .filter(|term| !pair.is_root(term.digit))
        .collect();
    [(partner, true), (own, false)]
        .into_iter()
        .find_map(|(value, is_partner)| {
            let of = pair.digits.form(value)?;
            // A narrower sum has to be the number itself.
            if of.bits != form.bits && !(pair.is_exact)(value) {
                return None;
            }
            let (factor @ 1.., NONE, rest) = scaled(&terms, of)? else {
                return None;
            };
            let constant = form.constant.wrapping_add(offset);
            let constant = constant.wrapping_sub(factor.wrapping_mul(of.constant));
            Some(Scaled {
                is_partner,
                factor,
                constant,
                bytes,
                rest,
            })
        })
}
