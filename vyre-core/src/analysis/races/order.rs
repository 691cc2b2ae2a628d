//! Accesses of which one lies behind the other for all threads.
//!
//! **Rules.** Both offsets from the root are sums that do not wrap, so they are ordered as these are. Their difference,
//! less the bytes of the first one, is a sum over the digits of both threads. It is at least what it is with the least
//! number of each digit that counts, and the greatest of each that is taken away. An order that holds at an access,
//! `v + c < limit`, makes `limit - v - c - 1` a sum that is at least zero, so a multiple of it may be taken away first.
//!
//! **Cost:** the square of the number of orders.

use super::inequality::{Need, at_most};
use super::parts::Pair;
use crate::analysis::digits::{Digits, Form, NONE, Term};
use crate::ssa::Value;
use vyre_abi::assumption::Product;

/// A digit of a thread, or of both, times a symbol.
type Variable = (u8, u32, u32);

/// The number of both threads.
pub(super) const BOTH: u8 = 2;

/// A sum over the digits of two threads.
#[derive(Clone, Default)]
struct Difference {
    constant: i128,
    factors: Vec<(Variable, i128)>,
}

impl Difference {
    fn add(&mut self, variable: Variable, factor: i128) {
        match self.factors.iter_mut().find(|(known, _)| *known == variable) {
            Some((_, known)) => *known += factor,
            None => self.factors.push((variable, factor)),
        }
        self.factors.retain(|(_, factor)| *factor != 0);
    }

    fn add_scaled(&mut self, other: &Difference, scale: i128) {
        self.constant += other.constant * scale;
        for &(variable, factor) in &other.factors {
            self.add(variable, factor * scale);
        }
    }

    fn factor(&self, variable: Variable) -> i128 {
        let found = self.factors.iter().find(|(known, _)| *known == variable);
        found.map_or(0, |(_, factor)| *factor)
    }
}

/// True if the first access, with these bytes, ends before the second one, for any two threads. Adds what the launch has to
/// keep.
pub(super) fn precedes(
    pair: &Pair<'_>,
    [(first, at), (second, at_second)]: [(Form<'_>, i64); 2],
    bytes: u64,
    sides: [u8; 2],
    needs: &mut Vec<Need>,
) -> bool {
    let mut asks = Vec::new();
    for ((form, offset), side) in [((first, at), sides[0]), ((second, at_second), sides[1])] {
        if !does_not_wrap(pair, form, offset, side, &mut asks) {
            return false;
        }
    }
    let mut difference = Difference::default();
    difference.add_scaled(&sum(pair, second, at_second, sides[1]), 1);
    difference.add_scaled(&sum(pair, first, at, sides[0]), -1);
    difference.constant -= i128::from(bytes);
    let orders = orders(pair);
    let holds = least(pair, &difference) >= 0
        || with_order(&difference, &orders)
            .any(|less| least(pair, &less) >= 0 || with_order(&less, &orders).any(|less| least(pair, &less) >= 0));
    if holds {
        needs.extend(asks);
    }
    holds
}

/// A sum without an order that helps, times each number that removes a digit.
fn with_order<'a>(difference: &'a Difference, orders: &'a [Difference]) -> impl Iterator<Item = Difference> + 'a {
    orders.iter().flat_map(move |order| {
        difference.factors.iter().filter_map(move |&(variable, factor)| {
            let of_order = order.factor(variable);
            let helps = factor < 0 && of_order < 0 && factor % of_order == 0;
            helps.then(|| {
                let mut less = difference.clone();
                less.add_scaled(order, -(factor / of_order));
                less
            })
        })
    })
}

/// The orders at both accesses whose sums do not wrap, as sums that are at least zero.
fn orders(pair: &Pair<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    for side in [0u8, 1] {
        for order in &pair.sites[side as usize].orders {
            let exact = |value: Value| (pair.is_exact)(value);
            if let (Some(value), Some(limit)) = (pair.digits.form(order.value), pair.digits.form(order.limit))
                && exact(order.value)
                && exact(order.limit)
            {
                let mut difference = sum(pair, limit, 0, side);
                difference.add_scaled(&sum(pair, value, 0, side), -1);
                difference.constant -= i128::from(order.number) + 1;
                found.push(difference);
            }
        }
    }
    found
}

/// A sum for a thread, without the root.
fn sum(pair: &Pair<'_>, form: Form<'_>, offset: i64, side: u8) -> Difference {
    let mut difference = Difference {
        constant: i128::from(form.constant) + i128::from(offset),
        factors: Vec::new(),
    };
    for term in form.terms.iter().filter(|term| !pair.is_root(term.digit)) {
        let side = if (pair.is_same)(term.digit) { BOTH } else { side };
        difference.add((side, term.symbol, term.digit), term.factor.into());
    }
    difference
}

/// The least that a sum can be.
fn least(pair: &Pair<'_>, difference: &Difference) -> i128 {
    let mut least = difference.constant;
    for &((side, symbol, digit), factor) in &difference.factors {
        let (of_digit, of_symbol) = (range(pair, side, digit), range(pair, BOTH, symbol));
        let number = match factor > 0 {
            true => of_digit.0.saturating_mul(of_symbol.0),
            false => of_digit.1.saturating_mul(of_symbol.1),
        };
        least = least.saturating_add(number.saturating_mul(factor));
    }
    least
}

/// The range of a digit for a thread.
pub(super) fn range(pair: &Pair<'_>, side: u8, digit: u32) -> (i128, i128) {
    if digit == NONE {
        return (1, 1);
    }
    if pair.is_single(digit) {
        return (0, 0);
    }
    let known = pair.digits.digit(digit);
    let of = |site: usize| pair.sites[site].most_of(digit, &known);
    let most = match side {
        _ if known.is_symbol => pair.most_symbol(digit),
        BOTH => of(0).min(of(1)),
        side => of(usize::from(side)),
    };
    let mut range = (0, i128::from(most));
    if let Some(value) = Digits::own_value(known.digit) {
        let sites: &[usize] = match side {
            BOTH => &[0, 1],
            0 => &[0],
            _ => &[1],
        };
        for &site in sites {
            let found = pair.sites[site].range(value);
            range = (range.0.max(found.least.into()), range.1.min(found.most.into()));
        }
    }
    range
}

/// True if the offset of an access from its root does not wrap, maybe under a condition of the launch.
fn does_not_wrap(pair: &Pair<'_>, form: Form<'_>, offset: i64, side: u8, asks: &mut Vec<Need>) -> bool {
    let mut bounds = (
        i128::from(form.constant) + i128::from(offset),
        i128::from(form.constant) + i128::from(offset),
    );
    // A term that takes more is asked of the launch; there are at most six.
    let share = 1i128 << (form.bits - 4);
    for &Term { factor, symbol, digit } in form.terms {
        if pair.is_root(digit) {
            continue;
        }
        let digit_range = range(pair, side, digit);
        let symbol_range = range(pair, BOTH, symbol);
        let number = |of: fn((i128, i128)) -> i128| of(digit_range).saturating_mul(of(symbol_range));
        let factor = i128::from(factor);
        let (low, high) = (number(|range| range.0), number(|range| range.1));
        if high.saturating_mul(factor.abs()) > share {
            let Some(left) = pair
                .symbols_of(digit, symbol)
                .and_then(|symbols| pair.as_product(factor.abs(), &symbols))
            else {
                return false;
            };
            asks.push(at_most(left, Product::constant(share as u128)));
            match factor > 0 {
                true => bounds.1 += share,
                false => bounds.0 -= share,
            }
            continue;
        }
        match factor > 0 {
            true => bounds = (bounds.0 + low * factor, bounds.1 + high * factor),
            false => bounds = (bounds.0 + high * factor, bounds.1 + low * factor),
        }
    }
    bounds.0 >= 0 && bounds.1 < 1 << form.bits
}
