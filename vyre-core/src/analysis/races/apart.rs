//! Accesses of two threads that touch no common byte.
//!
//! **Rules.** A term whose digit has one number at an access is a constant there. If both addresses then have the same
//! terms, they differ by a constant and by the differences of digits. Bytes meet only at some of these differences. Where they
//! are zero, the [digits](super::parts) that the sum decides are equal; if these make up the thread, the threads are one.
//! Others must be out of reach, from the largest factor down. If the terms differ, one access must
//! [precede](super::order) the other for all threads, or both are of a [swap](super::swaps), or in [slots](super::tickets).
//! Or the terms differ in a digit that is the same for both threads and has few numbers, as the index of one of two buffers:
//! then all this is asked for each of them. And where a digit makes up a place in a small element, as the index of one of four
//! fields, an access counts as one to all the bytes that it may be at.

use vyre_ir::ir::Axis;

use super::inequality::Need;
use super::order::{BOTH, precedes, range};
use super::parts::{Fault, Pair, Part, What};
use super::tickets::Ticket;
use super::{swaps, tickets};
use crate::analysis::digits::{Digit, Form, NONE, Term};
use crate::ssa::op::{Op, Special};
use crate::ssa::{Ty, Value};

/// Limit of the numbers of digits that are tried one by one, in all combinations.
const MAX_CHOICES: i128 = 16;

/// Limit of the bytes of an element whose parts are not told from each other.
const MAX_ELEMENT: i128 = 256;

/// The threads that are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// Two of one block.
    Block,
    /// One of each of two blocks.
    Grid,
}

/// The reason why two accesses may meet.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Cause {
    /// An address is not known.
    Address,
    /// The sum has a value that depends on memory.
    Loaded(Value),
    /// The address does not decide this part of the thread.
    Missing(Special),
    /// Smaller parts of the sum reach a greater one.
    Overlap,
    /// The sum may wrap.
    Wraps,
    /// Another thread comes to an address at this distance.
    Distance(i64),
    /// The sums have other digits.
    Terms,
    /// The memory may be that of another block.
    Cluster,
}

/// A sum with an offset, and bytes.
pub(super) type Place<'d> = (Form<'d>, i64, u64);

/// Nothing if the accesses touch no common byte, or only if the conditions that are added do not hold.
pub(super) fn are_apart(
    pair: &Pair<'_>,
    among: Among,
    [a, b]: [Place<'_>; 2],
    all_tickets: &[Ticket],
    needs: &mut Vec<Need>,
) -> Result<(), Cause> {
    are_apart_by(pair, among, [a, b], all_tickets, MAX_CHOICES, needs)
}

/// The same, with a limit of the numbers that are tried.
fn are_apart_by(
    pair: &Pair<'_>,
    among: Among,
    [a, b]: [Place<'_>; 2],
    all_tickets: &[Ticket],
    choices: i128,
    needs: &mut Vec<Need>,
) -> Result<(), Cause> {
    let (first, second) = (a.0.bits, b.0.bits);
    if first != second {
        return Err(Cause::Terms);
    }
    let mut cause = Cause::Terms;
    let same = unify(pair, a, b);
    if let Some((terms, distance)) = &same {
        // Without conditions first, and without values in the place of digits.
        for asks in [false, true] {
            for grouped in [asks, !asks] {
                let mut more = Vec::new();
                match same_terms(pair, among, (terms, *distance), [a, b], (grouped, asks), &mut more) {
                    Ok(()) => {
                        needs.extend(more);
                        return Ok(());
                    }
                    Err(found) if (grouped, asks) == (false, false) => cause = found,
                    Err(_) => {}
                }
            }
        }
    }
    let (x, y) = ((a.0, a.1), (b.0, b.1));
    if precedes(pair, [x, y], a.2, [0, 1], needs) || precedes(pair, [y, x], b.2, [1, 0], needs) {
        return Ok(());
    }
    if swaps::are_apart(pair, among, [a, b], needs) || tickets::are_apart(pair, all_tickets, [a, b], needs) {
        return Ok(());
    }
    if let Some((digit, least, most)) = choice(pair, [a.0, b.0], choices) {
        let mut more = Vec::new();
        let are_apart = |number: i128| {
            let forms = [a.0, b.0].map(|form| with(form, digit, number as i64));
            let [x, y] = [0, 1].map(|side| Form {
                terms: &forms[side].1,
                constant: forms[side].0,
                ..[a.0, b.0][side]
            });
            let left = choices / (most - least + 1);
            are_apart_by(
                pair,
                among,
                [(x, a.1, a.2), (y, b.1, b.2)],
                all_tickets,
                left,
                &mut more,
            )
            .is_ok()
        };
        if (least..=most).all(are_apart) {
            needs.extend(more);
            return Ok(());
        }
    }
    let wide = [(a, 0), (b, 1)].map(|(place, side)| widened(pair, place, side));
    if choices == MAX_CHOICES
        && let [Some(one), Some(two)] = &wide
        && (one.1 > 0 || two.1 > 0)
    {
        let [x, y] = [(a, one), (b, two)].map(|(place, (terms, more))| {
            let form = Form { terms, ..place.0 };
            (form, place.1, place.2 + more)
        });
        if let Some((terms, distance)) = unify(pair, x, y) {
            for asks in [false, true] {
                for grouped in [asks, !asks] {
                    let mut more = Vec::new();
                    if same_terms(pair, among, (&terms, distance), [x, y], (grouped, asks), &mut more).is_ok() {
                        needs.extend(more);
                        return Ok(());
                    }
                }
            }
        }
    }
    if let Some(loaded) = [a, b].iter().find_map(|(form, ..)| loaded(pair, *form)) {
        return Err(Cause::Loaded(loaded));
    }
    Err(cause)
}

/// A digit that both threads have the same number of, out of a few, and that one of the sums has more of.
/// Its least and its greatest number, of not more than so many.
fn choice(pair: &Pair<'_>, [a, b]: [Form<'_>; 2], choices: i128) -> Option<(u32, i128, i128)> {
    a.terms.iter().chain(b.terms).find_map(|term| {
        let factor = |form: Form<'_>| {
            form.terms
                .iter()
                .find(|it| it.digit == term.digit)
                .map_or(0, |it| it.factor)
        };
        let is_it =
            term.symbol == NONE && factor(a) != factor(b) && !pair.is_root(term.digit) && (pair.is_same)(term.digit);
        let (least, most) = range(pair, BOTH, term.digit);
        (is_it && least <= most && most - least < choices.min(4)).then_some((term.digit, least, most))
    })
}

/// The constant and the terms of a sum in which a digit has a number.
fn with(form: Form<'_>, digit: u32, number: i64) -> (i64, Vec<Term>) {
    let is_it = |term: &&Term| term.digit == digit && term.symbol == NONE;
    let factor = form.terms.iter().find(is_it).map_or(0, |term| term.factor);
    let rest = form.terms.iter().filter(|term| !is_it(term)).copied().collect();
    (form.constant.wrapping_add(factor.wrapping_mul(number)), rest)
}

/// The terms of a sum without those of digits that are no part of the thread and move an access by a few bytes, and how many these
/// are together.
fn widened(pair: &Pair<'_>, (form, ..): Place<'_>, side: u8) -> Option<(Vec<Term>, u64)> {
    let mut more = 0i128;
    let mut terms = form.terms.to_vec();
    terms.retain(|term| {
        let is_part = match pair.digits.digit(term.digit).digit {
            Digit::Value(value) => pair.function.op(value).is_root(),
            Digit::Trip(_) => false,
            _ => true,
        };
        if term.symbol != NONE || is_part || term.factor <= 0 {
            return true;
        }
        let (_, most) = range(pair, side, term.digit);
        let bytes = most.saturating_mul(term.factor.into());
        let is_small = more.saturating_add(bytes) <= MAX_ELEMENT;
        more += if is_small { bytes } else { 0 };
        !is_small
    });
    Some((terms, more.try_into().ok()?))
}

/// A digit of a sum that is read from memory.
fn loaded(pair: &Pair<'_>, form: Form<'_>) -> Option<Value> {
    form.terms.iter().find_map(|term| {
        let value = match pair.digits.digit(term.digit).digit {
            Digit::Value(value) | Digit::Quotient(value, _) | Digit::Remainder(value, _) => value,
            _ => return None,
        };
        matches!(pair.function.op(value), Op::Load { .. } | Op::Atomic { .. }).then_some(value)
    })
}

/// The common terms of two sums, and the distance from the second one to the first one.
fn unify(pair: &Pair<'_>, a: Place<'_>, b: Place<'_>) -> Option<(Vec<Term>, i64)> {
    let mut distance = (a.0.constant.wrapping_add(a.1)).wrapping_sub(b.0.constant.wrapping_add(b.1));
    let mut terms = a.0.terms.to_vec();
    terms.retain(|term| !pair.is_root(term.digit));
    let factor = |form: Form<'_>, term: &Term| {
        let same = |other: &&Term| (other.digit, other.symbol) == (term.digit, term.symbol);
        form.terms.iter().find(same).map_or(0, |other| other.factor)
    };
    let fixed = |site: usize, term: &Term| {
        let Digit::Value(value) = pair.digits.digit(term.digit).digit else {
            return None;
        };
        let range = pair.sites[site].range(value);
        (range.least == range.most && term.symbol == NONE).then_some(range.least as i64)
    };
    // Both may have a term.
    let mut done = Vec::new();
    for term in a.0.terms.iter().chain(b.0.terms) {
        let (of_a, of_b) = (factor(a.0, term), factor(b.0, term));
        if of_a == of_b || pair.is_root(term.digit) || done.contains(&(term.digit, term.symbol)) {
            continue;
        }
        done.push((term.digit, term.symbol));
        let more = of_a.wrapping_sub(of_b);
        if let Some(number) = fixed(1, term) {
            // The second sum gets the factor of the first one.
            distance = distance.wrapping_add(more.wrapping_mul(number));
        } else if let Some(number) = fixed(0, term) {
            distance = distance.wrapping_add(more.wrapping_mul(number));
            terms.retain(|known| (known.digit, known.symbol) != (term.digit, term.symbol));
            if of_b != 0 {
                terms.push(Term { factor: of_b, ..*term });
            }
        } else {
            return None;
        }
    }
    let distance = if a.0.bits == 32 {
        i64::from(distance as i32)
    } else {
        distance
    };
    Some((terms, distance))
}

fn same_terms(
    pair: &Pair<'_>,
    among: Among,
    (terms, distance): (&[Term], i64),
    [a, b]: [Place<'_>; 2],
    (grouped, asks): (bool, bool),
    needs: &mut Vec<Need>,
) -> Result<(), Cause> {
    let bits = a.0.bits;
    let parts: Vec<Part> = pair.parts(terms, Some(bits), grouped, false);
    let mut known = Vec::new();
    let reach = pair
        .decides(parts.clone(), Some(bits), &mut known, needs)
        .map_err(|fault| match fault {
            Fault::Overlap => Cause::Overlap,
            Fault::Wraps => Cause::Wraps,
        })?;
    if !asks && !needs.is_empty() {
        return Err(Cause::Overlap);
    }
    let step = parts
        .iter()
        .filter(|part| part.span > 0)
        .fold(0, |all, part| gcd(all, part.factor));
    let mut numbers: Vec<(i128, (i128, i128))> = parts.iter().map(|part| (part.factor, part.more)).collect();
    numbers.sort_unstable_by_key(|&(factor, _)| std::cmp::Reverse(factor));
    let has_symbols = parts.iter().any(|part| !part.symbols.is_empty());
    let mut may_be_equal = false;
    for shift in 1 - i128::from(a.2)..i128::from(b.2) {
        for wrapped in [-(1i128 << bits), 0, 1 << bits] {
            let number = shift - i128::from(distance) + wrapped;
            if number == 0 {
                may_be_equal = true;
            } else if number.abs() >= reach {
                // The sum is less.
            } else if step != 0 && number % step == 0 && (has_symbols || reaches(&numbers, number)) {
                return Err(Cause::Distance(distance));
            }
        }
    }
    if !may_be_equal {
        return Ok(());
    }
    decide_thread(pair, among, known, asks, needs)
}

/// `Ok` if equal values of two threads make them one, maybe under conditions that are added.
pub(super) fn decide_thread(
    pair: &Pair<'_>,
    among: Among,
    mut known: Vec<What>,
    asks: bool,
    needs: &mut Vec<Need>,
) -> Result<(), Cause> {
    pair.close(&mut known, needs, asks);
    for axis in [Axis::X, Axis::Y, Axis::Z] {
        let at = axis.index();
        let special = match among {
            Among::Block if pair.function.block_size[at] > 1 => Special::Thread(axis),
            Among::Grid if pair.grid.is_none_or(|grid| grid[at] != 1) => Special::Block(axis),
            _ => continue,
        };
        let is_it = |what: &What| {
            matches!(what, What::Digit(digit) if matches!(pair.digits.digit(*digit).digit,
                Digit::Value(value) if pair.function.op(value) == Op::Special(special)))
        };
        if !known.iter().any(is_it) && !lane_decides(pair, special, &known) && !is_fixed(pair, special) {
            return Err(Cause::Missing(special));
        }
    }
    Ok(())
}

/// True if the threads have the same lane, and the lane is the thread, or its index along the axis: or both are of one warp.
fn lane_decides(pair: &Pair<'_>, special: Special, known: &[What]) -> bool {
    let [x, y, z] = pair.function.block_size;
    let is_lane = |what: &What| {
        matches!(what, What::Digit(digit) if matches!(pair.digits.digit(*digit).digit,
            Digit::Value(value) if pair.function.op(value) == Op::Special(Special::Lane)))
    };
    let is_decided = match special {
        Special::Thread(Axis::X) => {
            x == 32 || x * y * z <= 32 || (x.is_multiple_of(32) || y * z == 1) && is_in_a_warp(pair)
        }
        Special::Thread(_) => x * y * z <= 32,
        _ => false,
    };
    is_decided && known.iter().any(is_lane)
}

/// True if the indices along `x` at both accesses are of one warp, where whole warps fill a row.
fn is_in_a_warp(pair: &Pair<'_>) -> bool {
    let is_it = |&value: &Value| pair.function.op(value) == Op::Special(Special::Thread(Axis::X));
    let mut indices = pair.function.values.handles().filter(is_it);
    indices.any(|value| {
        let range = pair.sites[0].range(value).or(pair.sites[1].range(value));
        range.least / 32 == range.most / 32
    })
}

/// True if a register has one number at both accesses.
fn is_fixed(pair: &Pair<'_>, special: Special) -> bool {
    let is_it = |value: Value| pair.function.op(value) == Op::Special(special) && pair.function.ty(value) == Ty::I32;
    pair.fixed().any(is_it)
}

/// False if a number is no sum of factors times differences, which are within bounds. The factors fall.
fn reaches(terms: &[(i128, (i128, i128))], number: i128) -> bool {
    let Some((&(factor, (least, most)), rest)) = terms.split_first() else {
        return number == 0;
    };
    let bound = |of: fn((i128, i128)) -> i128| {
        (rest.iter()).fold(0, |all: i128, &(factor, more)| {
            all.saturating_add(factor.saturating_mul(of(more)))
        })
    };
    let (lowest, highest) = (bound(|more| more.0), bound(|more| more.1));
    let first = least.max((number - highest + factor - 1).div_euclid(factor));
    let last = most.min((number - lowest).div_euclid(factor));
    // In mixed radix there are two at most.
    last - first > 1 || (first..=last).any(|times| reaches(rest, number - times * factor))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
