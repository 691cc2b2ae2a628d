//! Sums as numbers in mixed radix, and the digits that such a number decides.
//!
//! **Rules.** The parts of a sum, from the smallest factor up, are a number in mixed radix if each factor is at least what
//! the smaller parts reach together. Then two threads with equal sums have equal parts, if the whole is less than
//! 2^W, or if it does not wrap for another reason. A part is a digit, or a value that is the sum of several and known to be
//! below a symbol. With a value, threads agree on its digits by the same rule, and with a quotient and its remainder on
//! the digits of what was divided.
//!
//! **Conditions of the launch.** If a factor has a symbol, or a bound is one, the rule is an inequality of products of symbols.
//! It is asked of the launch unless it holds for all numbers.

use vyre_ir::ir::Axis;

use super::inequality::{Need, at_most};
use super::necessary::Run;
use super::order;
use super::sites::{MAX_LENGTH, Site, is_length};
use crate::analysis::digits::{By, Digit, Digits, Form, NONE, Term};
use crate::ssa::op::{Op, Special};
use crate::ssa::{Function, Value};
use vyre_abi::assumption::{Product, Symbol};

/// The blocks of the grid along the axes, as symbols: a function need not ask for them.
pub(super) const GRID: [u32; 3] = [NONE - 1, NONE - 2, NONE - 3];

/// A digit or value with its factor.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) factor: i128,
    /// The symbols by which it is multiplied, besides.
    pub(super) symbols: Vec<u32>,
    pub(super) what: What,
    /// The greatest difference of two of its numbers.
    pub(super) span: u64,
    /// The least and the greatest that the number of the first thread is more than that of the second one, or the other way
    /// round where the sum has the negative factor.
    pub(super) more: (i128, i128),
    /// Symbols whose product it is below.
    pub(super) limit: Option<Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Digit(u32),
    Value(Value),
}

/// The question about two threads at two accesses.
pub(super) struct Pair<'f> {
    pub(super) function: &'f Function,
    pub(super) digits: &'f Digits,
    /// The root of both addresses, if they have one.
    pub(super) root: Option<Value>,
    pub(super) sites: [&'f Site; 2],
    /// The most blocks of the grid, if known.
    pub(super) grid: Option<[u32; 3]>,
    /// True if both accesses are one store, to which all threads of the launch come.
    pub(super) is_everywhere: bool,
    /// True if a digit is the same for both threads.
    pub(super) is_same: &'f dyn Fn(u32) -> bool,
    /// True if the number of a value is that of its sum, without wrapping.
    pub(super) is_exact: &'f dyn Fn(Value) -> bool,
}

/// The differences of two numbers, if the greatest is known.
fn both_ways(span: u64) -> (i128, i128) {
    (-i128::from(span), span.into())
}

/// The reason why a sum decides nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A factor is less than what the smaller parts reach.
    Overlap,
    /// The sum may wrap.
    Wraps,
}

impl Pair<'_> {
    /// The parts of a sum that may differ between the threads. With `grouped`, values that are below a symbol replace
    /// their digits, with `is_part` if they are not all of the sum; what is constant then cancels out, as both threads have it.
    /// `bits` is the width in which the sum may wrap; `None` if it does not, and then no part does.
    pub(super) fn parts(&self, terms: &[Term], bits: Option<u32>, grouped: bool, is_part: bool) -> Vec<Part> {
        let mut left: Vec<Term> = terms.to_vec();
        let mut parts = Vec::new();
        while grouped && let Some(part) = self.take_group(&mut left, bits, is_part.then_some(terms.len())) {
            parts.push(part);
        }
        for term in left {
            if (self.is_same)(term.digit) || self.is_single(term.digit) {
                continue;
            }
            let mut symbols = Vec::new();
            self.add_symbols(term.symbol, &mut symbols);
            let factor = i128::from(term.factor).abs();
            parts.push(match self.extended(term.digit) {
                Some((value, times)) => Part {
                    factor: factor * i128::from(times),
                    symbols,
                    what: What::Value(value),
                    span: self.span_of(value),
                    more: both_ways(self.span_of(value)),
                    limit: None,
                },
                None => Part {
                    factor,
                    symbols,
                    what: What::Digit(term.digit),
                    span: self.span(term.digit),
                    more: self.more(term),
                    limit: self.limit_of(term.digit),
                },
            });
        }
        parts
    }

    /// Takes the terms of a value that is below a symbol, or has fewer numbers than its digits, out of a sum: the largest first.
    fn take_group(&self, left: &mut Vec<Term>, bits: Option<u32>, whole: Option<usize>) -> Option<Part> {
        let mut best: Option<(usize, Part, Vec<Term>)> = None;
        for (value, limit) in self.limited() {
            let Some(form) = self.digits.form(value) else { continue };
            // Modulo a smaller power of two a value is not its digits.
            let may_wrap = bits.is_none_or(|bits| form.bits < bits) && !(self.is_exact)(value);
            if may_wrap || form.terms.iter().all(|it| (self.is_same)(it.digit)) {
                continue;
            }
            let Some((factor, symbol, rest)) = scaled(left, form) else {
                continue;
            };
            let is_whole = whole == Some(form.terms.len());
            if is_whole || best.as_ref().is_some_and(|(count, ..)| *count >= form.terms.len()) {
                continue;
            }
            let mut symbols = Vec::new();
            self.add_symbols(symbol, &mut symbols);
            let mut span = self.span_of(value);
            if let Some(limit) = &limit {
                let most = (limit.iter().map(|&it| self.most_symbol(it))).fold(1u64, u64::saturating_mul);
                span = span.min(most.saturating_sub(1));
            }
            let part = Part {
                factor: i128::from(factor).abs(),
                symbols,
                what: What::Value(value),
                span,
                more: both_ways(span),
                limit,
            };
            best = Some((form.terms.len(), part, rest));
        }
        let (_, part, rest) = best?;
        *left = rest;
        Some(part)
    }

    /// The values that are below a product of symbols at both accesses, or that a guard bounds.
    fn limited(&self) -> Vec<(Value, Option<Vec<u32>>)> {
        let [a, b] = self.sites;
        let mut found: Vec<(Value, Option<Vec<u32>>)> = Vec::new();
        for order in a.orders.iter().filter(|order| order.number >= 0) {
            let is_known = |other: &super::sites::Order| {
                (other.value, other.limit) == (order.value, order.limit) && other.number >= 0
            };
            if b.orders.iter().any(is_known)
                && let Some(limit) = self.digits.form(order.limit).and_then(|limit| self.product(limit))
            {
                found.push((order.value, Some(limit)));
            }
        }
        let bounded = a.bounded.iter().filter(|value| b.bounded.contains(value));
        found.extend(bounded.map(|&value| (value, None)));
        found
    }

    /// The symbols whose product a sum is.
    fn product(&self, form: Form<'_>) -> Option<Vec<u32>> {
        let &[
            Term {
                factor: 1,
                symbol,
                digit,
            },
        ] = form.terms
        else {
            return None;
        };
        let exact = form.constant == 0 && form.is_exact();
        let is_symbol = |digit: u32| digit == NONE || self.digits.digit(digit).is_symbol;
        (exact && is_symbol(symbol) && is_symbol(digit)).then(|| {
            let mut symbols = Vec::new();
            self.add_symbols(symbol, &mut symbols);
            self.add_symbols(digit, &mut symbols);
            symbols
        })
    }

    /// Adds the symbols of a product.
    fn add_symbols(&self, symbol: u32, symbols: &mut Vec<u32>) {
        if symbol == NONE {
            return;
        }
        match self.digits.digit(symbol).digit {
            Digit::Product(s, t) => {
                self.add_symbols(s, symbols);
                self.add_symbols(t, symbols);
            }
            Digit::Value(value) => match self.function.op(value) {
                Op::Special(Special::Grid(axis)) => symbols.push(GRID[axis.index()]),
                _ => symbols.push(symbol),
            },
            _ => symbols.push(symbol),
        }
        symbols.sort_unstable();
    }

    /// The greatest difference of two numbers of a value.
    fn span_of(&self, value: Value) -> u64 {
        let range = self.sites[0].range(value).or(self.sites[1].range(value));
        range.most - range.least
    }

    /// By how much the digit of a term may be more for the first thread.
    fn more(&self, term: Term) -> (i128, i128) {
        let [a, b] = [0, 1].map(|side| order::range(self, side, term.digit));
        match term.factor > 0 {
            true => (a.0 - b.1, a.1 - b.0),
            false => (b.0 - a.1, b.1 - a.0),
        }
    }

    /// The value of 32 bits, with a sum that may wrap, of which a digit is the extension, times a number.
    fn extended(&self, digit: u32) -> Option<(Value, u64)> {
        let Digit::Value(value) = self.digits.digit(digit).digit else {
            return None;
        };
        let (narrow, times) = match self.function.op(value) {
            Op::MulWide { signed: false, a, b } => (a, self.function.as_constant(b)?),
            Op::Convert { from, to, a } if !from.is_signed() && (from.bits(), to.bits()) == (32, 64) => (a, 1),
            _ => return None,
        };
        (self.digits.form(narrow).is_some() && times > 0).then_some((narrow, times))
    }

    /// True for the index of a block along an axis on which the grid has one.
    pub(super) fn is_single(&self, digit: u32) -> bool {
        let Digit::Value(value) = self.digits.digit(digit).digit else {
            return false;
        };
        match self.function.op(value) {
            Op::Special(Special::Block(axis)) => self.grid.is_some_and(|grid| grid[axis.index()] == 1),
            _ => false,
        }
    }

    /// The greatest difference of two numbers of a digit.
    fn span(&self, digit: u32) -> u64 {
        let known = self.digits.digit(digit);
        match known.digit {
            Digit::Value(value) => known.most.min(self.span_of(value)),
            _ => self.sites[0]
                .most_of(digit, &known)
                .max(self.sites[1].most_of(digit, &known)),
        }
    }

    /// The symbols that a digit is below.
    fn limit_of(&self, digit: u32) -> Option<Vec<u32>> {
        match self.digits.digit(digit).digit {
            Digit::Remainder(_, By::Symbol(symbol)) => {
                let mut symbols = Vec::new();
                self.add_symbols(symbol, &mut symbols);
                Some(symbols)
            }
            Digit::Value(value) => match self.function.op(value) {
                Op::Special(Special::Block(axis)) => Some(vec![GRID[axis.index()]]),
                _ => None,
            },
            _ => None,
        }
    }

    fn least_symbol(&self, symbol: u32) -> i128 {
        if GRID.contains(&symbol) {
            return 1;
        }
        match self.digits.digit(symbol).digit {
            Digit::Value(value) => self
                .sites
                .iter()
                .map(|site| site.range(value).least)
                .max()
                .unwrap_or(0)
                .into(),
            _ => 0,
        }
    }

    pub(super) fn most_symbol(&self, symbol: u32) -> u64 {
        if let Some(axis) = GRID.iter().position(|&grid| grid == symbol) {
            return match self.grid {
                Some(grid) => grid[axis].into(),
                None if axis == 0 => (1 << 31) - 1,
                None => 65535,
            };
        }
        let known = self.digits.digit(symbol);
        match known.digit {
            Digit::Value(value) if is_length(self.function, value) => known.most.min(MAX_LENGTH),
            Digit::Value(value) => known.most.min(self.sites[0].range(value).most),
            _ => known.most,
        }
    }

    /// True if a digit is the root, from which offsets count.
    pub(super) fn is_root(&self, digit: u32) -> bool {
        self.root.is_some_and(|root| self.digits.is_own(digit, root))
    }

    /// The symbols of a term that has no other digit.
    pub(super) fn symbols_of(&self, digit: u32, symbol: u32) -> Option<Vec<u32>> {
        let mut symbols = Vec::new();
        self.add_symbols(symbol, &mut symbols);
        match self.limit_of(digit) {
            Some(limit) => symbols.extend(limit),
            None if self.digits.digit(digit).is_symbol => self.add_symbols(digit, &mut symbols),
            None => return None,
        }
        symbols.sort_unstable();
        Some(symbols)
    }

    /// Adds what a sum decides to the digits that are known to be equal. `bits` is the width in which it may wrap;
    /// `None` if it does not. Returns a number that no difference of two such sums reaches.
    pub(super) fn decides(
        &self,
        mut parts: Vec<Part>,
        bits: Option<u32>,
        known: &mut Vec<What>,
        needs: &mut Vec<Need>,
    ) -> Result<i128, Fault> {
        // A part that has one number does not count.
        parts.retain(|part| part.span > 0);
        let least = |part: &Part| part.symbols.iter().map(|&it| self.least_symbol(it)).product::<i128>();
        parts.sort_by_key(|part| (part.symbols.len(), part.factor));
        // The smaller parts together are less than each of these.
        let mut reach = 1i128;
        let mut bound: Option<(i128, Vec<u32>)> = None;
        let mut run: Option<Run> = None;
        let is_own = |(at, part): (usize, &Part)| {
            self.indices(part).is_some() && parts[..at].iter().all(|other| other.what != part.what)
        };
        let are_indices = self.is_everywhere && parts.iter().enumerate().all(is_own);
        for part in &parts {
            let has_factor = part.factor.saturating_mul(least(part)) >= reach;
            let has_symbols =
                (bound.as_ref()).is_some_and(|(factor, symbols)| part.factor >= *factor && part.symbols == *symbols);
            if !has_factor && !has_symbols {
                let smaller = match &bound {
                    Some((factor, symbols)) => self.as_product(*factor, symbols),
                    None if reach < 1 << 62 && !part.symbols.is_empty() => self.as_product(reach, &[]),
                    None => return Err(Fault::Overlap),
                };
                let need = at_most(
                    smaller.ok_or(Fault::Overlap)?,
                    self.as_product(part.factor, &part.symbols).ok_or(Fault::Overlap)?,
                );
                needs.push(Need {
                    is_necessary: are_indices && run.as_ref().is_some_and(|run| self.reaches(run, part)),
                    ..need
                });
            }
            run = self.run(run, part);
            let times = |more: &[u32]| {
                let mut symbols = part.symbols.clone();
                symbols.extend_from_slice(more);
                symbols.sort_unstable();
                symbols
            };
            bound = match &part.limit {
                Some(limit) => Some((part.factor, times(limit))),
                None if part.span < 1 << 40 => Some((
                    part.factor.saturating_mul(i128::from(part.span) + 1),
                    part.symbols.clone(),
                ))
                .filter(|(_, symbols)| !symbols.is_empty()),
                None => None,
            };
            let symbols: i128 =
                (part.symbols.iter()).fold(1, |all, &it| all.saturating_mul(self.most_symbol(it).into()));
            let most = part.factor.saturating_mul(part.span.into()).saturating_mul(symbols);
            reach = reach.saturating_add(most);
        }
        if let Some(bits) = bits
            && reach > 1 << bits
        {
            let (factor, symbols) = bound.ok_or(Fault::Wraps)?;
            let left = self.as_product(factor, &symbols).ok_or(Fault::Wraps)?;
            needs.push(at_most(left, Product::constant(1 << bits)));
            reach = 1 << bits;
        }
        for part in parts {
            if !known.contains(&part.what) {
                known.push(part.what);
            }
        }
        Ok(reach)
    }

    /// A product as the launch can compute it.
    pub(super) fn as_product(&self, factor: i128, symbols: &[u32]) -> Option<Product> {
        let mut found = Vec::new();
        for &symbol in symbols {
            if let Some(axis) = GRID.iter().position(|&grid| grid == symbol) {
                found.push(Symbol::Grid(axis as u32));
                continue;
            }
            let value = match self.digits.digit(symbol).digit {
                Digit::Value(value) => value,
                Digit::Quotient(value, By::Constant(by)) => {
                    found.push(self.quotient(value, by)?);
                    continue;
                }
                _ => return None,
            };
            found.push(match self.function.op(value) {
                Op::Argument {
                    parameter,
                    offset,
                    scalar,
                } => Symbol::argument(parameter, offset, scalar.size()),
                Op::Special(Special::SharedBytes) => Symbol::SharedBytes,
                Op::External(external) => Symbol::External(external.index() as u32),
                _ => return None,
            });
        }
        found.sort_unstable();
        Some(Product {
            factor: u128::try_from(factor).ok()?,
            symbols: found,
        })
    }

    /// The quotient of an argument, as the launch can compute it.
    fn quotient(&self, value: Value, by: u64) -> Option<Symbol> {
        let form = self.digits.form(value).filter(Form::is_exact)?;
        let &[
            Term {
                factor: 1,
                symbol: NONE,
                digit,
            },
        ] = form.terms
        else {
            return None;
        };
        let Digit::Value(value) = self.digits.digit(digit).digit else {
            return None;
        };
        match self.function.op(value) {
            Op::Argument {
                parameter,
                offset,
                scalar,
            } => Some(Symbol::Argument {
                parameter,
                offset,
                bytes: scalar.size(),
                more: form.constant.try_into().ok()?,
                by: by.try_into().ok().filter(|&by| by > 0)?,
            }),
            _ => None,
        }
    }

    /// The values with one number at both accesses.
    pub(super) fn fixed(&self) -> impl Iterator<Item = Value> {
        let [a, b] = self.sites;
        a.fixed
            .iter()
            .filter(|known| b.fixed.contains(known))
            .map(|&(value, _)| value)
    }

    /// Adds the digits that follow from those that are known; with `asks`, under conditions of the launch.
    pub(super) fn close(&self, known: &mut Vec<What>, needs: &mut Vec<Need>, asks: bool) {
        for value in self.fixed() {
            let what = match (self.function.op(value), self.digits.form(value)) {
                (Op::Special(_), Some(form)) => match form.terms {
                    [term] => What::Digit(term.digit),
                    _ => continue,
                },
                (Op::Special(_), None) => continue,
                _ => What::Value(value),
            };
            if !known.contains(&what) {
                known.push(what);
            }
        }
        let mut count = usize::MAX;
        while count != known.len() {
            count = known.len();
            let mut values = Vec::new();
            for &what in known.iter() {
                match what {
                    What::Value(value) => values.push(value),
                    What::Digit(digit) => {
                        if let Digit::Quotient(value, by) = self.digits.digit(digit).digit
                            && self.has_remainder(known, value, by)
                        {
                            values.push(value);
                        }
                    }
                }
            }
            for value in values {
                if let Some(form) = self.digits.form(value) {
                    self.add_sum(value, form, known, needs, asks);
                }
            }
        }
    }

    /// Adds what the number of a value decides, if it decides all of its sum.
    fn add_sum(&self, value: Value, form: Form<'_>, known: &mut Vec<What>, needs: &mut Vec<Need>, asks: bool) {
        let bits = (!(self.is_exact)(value)).then_some(form.bits);
        // With values below symbols there are fewer conditions.
        for grouped in [asks, !asks] {
            let parts = self.parts(form.terms, bits, grouped, true);
            // Then there is nothing to learn.
            if parts.iter().all(|part| known.contains(&part.what)) {
                return;
            }
            let (mut more, mut all) = (known.clone(), needs.clone());
            if self.decides(parts, bits, &mut more, &mut all).is_ok() && (asks || all.len() == needs.len()) {
                (*known, *needs) = (more, all);
                return;
            }
        }
    }

    /// True if a sum is the lane.
    fn is_lane(&self, form: Form<'_>) -> bool {
        let is_it = |term: &Term| {
            matches!(self.digits.digit(term.digit).digit, Digit::Value(value)
                if self.function.op(value) == Op::Special(Special::Lane))
        };
        matches!(form.terms, [term] if is_it(term) && term.factor == 1 && term.symbol == NONE) && form.constant == 0
    }

    /// True if a sum is the index along `x` plus multiples of a divisor of the warp's size: then its remainder is the lane's.
    fn is_lane_of(&self, form: Form<'_>, number: i64) -> bool {
        let rows = self.function.block_size[0].is_multiple_of(32) || self.function.block_size[1..] == [1, 1];
        let thread = |term: &Term| {
            matches!(self.digits.digit(term.digit).digit, Digit::Value(value)
                if self.function.op(value) == Op::Special(Special::Thread(Axis::X)))
        };
        rows && form.constant % number == 0
            && form.terms.iter().all(|term| match thread(term) {
                true => term.factor == 1 && term.symbol == NONE,
                false => term.factor % number == 0,
            })
            && form.terms.iter().any(thread)
    }

    /// True if the remainder that goes with a quotient is known, or the same for both.
    fn has_remainder(&self, known: &[What], value: Value, by: By) -> bool {
        let form = self.digits.form(value);
        known.iter().any(|&what| {
            let What::Digit(digit) = what else {
                return false;
            };
            match self.digits.digit(digit).digit {
                Digit::Remainder(of, same) if of == value => same == by,
                // One of another value that differs by multiples of a power of two.
                Digit::Remainder(of, By::Constant(number)) if number.is_power_of_two() => {
                    let (Some(a), Some(b)) = (form, self.digits.form(of)) else {
                        return false;
                    };
                    let is_lane = || number <= 32 && self.is_lane(b) && self.is_lane_of(a, number as i64);
                    by == By::Constant(number) && (is_multiple(a, b, number as i64) || is_lane())
                }
                Digit::Value(lane) => {
                    self.function.op(lane) == Op::Special(Special::Lane)
                        && by == By::Constant(32)
                        && form.is_some_and(|form| self.is_lane_of(form, 32))
                }
                _ => false,
            }
        })
    }
}

/// True if two sums differ by a multiple of a number.
fn is_multiple(a: Form<'_>, b: Form<'_>, number: i64) -> bool {
    let factor = |form: Form<'_>, term: &Term| {
        let same = |other: &&Term| (other.digit, other.symbol) == (term.digit, term.symbol);
        form.terms.iter().find(same).map_or(0, |other| other.factor)
    };
    let terms = a.terms.iter().chain(b.terms);
    a.constant.wrapping_sub(b.constant) % number == 0
        && terms
            .into_iter()
            .all(|term| factor(a, term).wrapping_sub(factor(b, term)) % number == 0)
}

/// The factor and the symbol by which a sum has the terms of another one, and the terms that are left.
pub(super) fn scaled(terms: &[Term], form: Form<'_>) -> Option<(i64, u32, Vec<Term>)> {
    let first = form.terms.first()?;
    terms.iter().filter(|term| term.digit == first.digit).find_map(|term| {
        let (factor, symbol) = match (first.symbol, term.symbol) {
            (NONE, symbol) => (term.factor.checked_div(first.factor)?, symbol),
            (a, b) if a == b => (term.factor.checked_div(first.factor)?, NONE),
            _ => return None,
        };
        let mut rest = terms.to_vec();
        for own in form.terms {
            let symbol = match (own.symbol, symbol) {
                (NONE, symbol) => symbol,
                (own, NONE) => own,
                _ => return None,
            };
            let wanted = Term {
                factor: own.factor.checked_mul(factor)?,
                symbol,
                digit: own.digit,
            };
            let at = rest.iter().position(|term| *term == wanted)?;
            rest.remove(at);
        }
        Some((factor, symbol, rest))
    })
}
