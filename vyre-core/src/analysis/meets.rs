//! Accesses that may touch the same memory, of one thread or of two.
//!
//! **Memories.** Those of different spaces do not overlap, but for a cluster's view of shared memory, and a
//! generic pointer may point into any. In one space, pointers offset from different known
//! [roots](super::provenance) do not meet: variables do not overlap, and parameters do only where nothing writes
//! them.
//!
//! **One thread.** From one root, two accesses are apart by the difference of their [sums](super::digits). They meet
//! unless that is a constant at which the bytes do not.
//!
//! **Two threads.** Symbols are the same for both, all other digits may be any in their bounds: what may differ between
//! threads, or between iterations, counts as if it did. The terms, ordered by their factors, are a number in mixed
//! radix if each factor is at least the sum of what the smaller terms reach, plus one. Then equal values have equal
//! digits, if the whole is less than 2^W. A value is injective if these digits, with those that follow from them,
//! make up the thread: a quotient and its remainder make up the value that was divided, and so the digits of its sum if
//! that is a number in mixed radix too. Axes along which the block or grid has one index need no digit.
//!
//! **Two accesses of two threads** with the same terms and constant factors meet if the constant between them is a sum of
//! factors times differences of digits, of which one is that of a thread. From the largest factor down only two
//! differences of each digit can reach it, so all are tried.

use vyre_ir::ir::Axis;

use super::bounds::Range;
use super::digits::{By, Digit, Digits, Form, NONE, Term};
use super::provenance::{Provenance, Root};
use crate::ssa::op::{Op, Special};
use crate::ssa::{Function, Space, Ty, Value};

/// True if two loads, stores or atomic accesses of a thread may touch the same byte.
pub(crate) fn may_meet(function: &Function, provenance: &Provenance, digits: &Digits, a: Value, b: Value) -> bool {
    let (Some(a), Some(b)) = (Place::of(function, a), Place::of(function, b)) else {
        return true;
    };
    if let (Some(of_a), Some(of_b)) = (a.memory(function), b.memory(function))
        && of_a != of_b
    {
        return false;
    }
    let (root_a, root_b) = (
        provenance.root(function, a.address),
        provenance.root(function, b.address),
    );
    if let (Root::Value(x), Root::Value(y)) = (root_a, root_b)
        && x != y
    {
        return false;
    }
    let Some(distance) = digits.distance(a.address, b.address) else {
        return true;
    };
    // Offsets wrap like addresses, so their difference decides.
    let distance = (distance + i64::from(a.offset) - i64::from(b.offset)) as u64;
    distance < b.size || distance.wrapping_neg() < a.size
}

/// The memory touched by an access.
struct Place {
    address: Value,
    offset: i32,
    size: u64,
}

impl Place {
    fn of(function: &Function, access: Value) -> Option<Place> {
        let (address, offset, scalar) = match function.op(access) {
            Op::Load {
                address,
                offset,
                scalar,
                ..
            }
            | Op::Store {
                address,
                offset,
                scalar,
                ..
            } => (address, offset, scalar),
            Op::Atomic { address, scalar, .. } => (address, 0, scalar),
            _ => return None,
        };
        // Pairs of halves are accessed as words.
        let size = u64::from(scalar.size().max(4));
        Some(Place { address, offset, size })
    }

    /// The state space that the address points into; `None` if unknown.
    fn memory(&self, function: &Function) -> Option<Space> {
        match function.ty(self.address) {
            Ty::Pointer(Space::Generic) => None,
            Ty::Pointer(Space::Cluster) => Some(Space::Shared),
            Ty::Pointer(space) => Some(space),
            _ => None,
        }
    }
}

/// The questions about the threads of a launch, where guards hold.
pub(crate) struct Threads<'f> {
    pub(crate) function: &'f Function,
    pub(crate) digits: &'f Digits,
    /// The blocks of the grid, if known.
    pub(crate) grid: Option<[u32; 3]>,
    /// The range of a value where the question is asked: at all the places, if it is about several.
    pub(crate) range: &'f dyn Fn(Value) -> Range,
    /// True if a value is below another one there.
    pub(crate) below: &'f dyn Fn(Value, Value) -> bool,
}

impl Threads<'_> {
    /// True if no two threads of the launch have the same value.
    pub(crate) fn is_injective(&self, value: Value) -> bool {
        let Some(form) = self.digits.form(value) else {
            return false;
        };
        let mut known: Vec<u32> = Vec::new();
        if !self.determines(form, &mut known) {
            return false;
        }
        self.covers(&mut known)
    }

    /// True if no access of a thread at one address meets an access of another thread at another address, which have these
    /// many bytes.
    pub(crate) fn are_apart(&self, a: Value, b: Value, bytes: [u64; 2]) -> bool {
        let (Some(form), Some(distance)) = (self.digits.form(a), self.digits.distance(b, a)) else {
            return false;
        };
        let mut known = Vec::new();
        if !self.determines(form, &mut known) || !self.covers(&mut known) {
            return false;
        }
        // The terms of threads, from the largest factor down.
        let mut terms: Vec<(i128, i128)> = Vec::new();
        for term in form.terms {
            if self.digits.digit(term.digit).is_symbol {
                continue;
            }
            if term.symbol != NONE {
                return distance == 0 && bytes == [1, 1];
            }
            // Without those that are zero the factors differ, so that their order is that of the radix.
            let most = i128::from(self.most_of(term.digit));
            if most != 0 {
                terms.push((i128::from(term.factor).abs(), most));
            }
        }
        terms.sort_unstable_by_key(|&(factor, _)| std::cmp::Reverse(factor));
        let distances = -(i128::from(bytes[1]) - 1)..i128::from(bytes[0]);
        // Differences are less than 2^W, and so may be this number or one of those next to it that are equal modulo 2^W.
        let around = [-(1 << form.bits), 0, 1 << form.bits];
        distances.into_iter().all(|shift| {
            let number = i128::from(distance) + shift;
            around.iter().all(|wrapped| !reaches(&terms, number + wrapped, false))
        })
    }

    /// True if the value of a sum decides its digits, which are added to those that are known.
    fn determines(&self, form: Form<'_>, known: &mut Vec<u32>) -> bool {
        let mut terms: Vec<Term> = Vec::with_capacity(form.terms.len());
        for term in form.terms {
            if !self.digits.digit(term.digit).is_symbol {
                terms.push(*term);
            }
        }
        let key = |term: &Term| (self.degree(term.symbol), term.factor.unsigned_abs());
        terms.sort_unstable_by_key(key);
        // The smaller terms together are less than this, and than this number times a symbol.
        let mut reach = 1i128;
        let mut scaled: Option<(i128, u32)> = None;
        for term in &terms {
            let factor = i128::from(term.factor).abs();
            let (least, symbol_most) = match term.symbol {
                NONE => (1, 1),
                symbol => (i128::from(self.least_of(symbol)), i128::from(self.most_of(symbol))),
            };
            let fits = factor.saturating_mul(least) >= reach
                || scaled.is_some_and(|(number, symbol)| symbol == term.symbol && factor >= number);
            if !fits {
                return false;
            }
            let most = i128::from(self.most_of(term.digit));
            scaled = match (term.symbol, self.limit_of(term.digit)) {
                (NONE, limit) => limit.map(|limit| (factor, limit)),
                (symbol, _) => Some((factor.saturating_mul(most + 1), symbol)),
            };
            let most = factor.saturating_mul(most).saturating_mul(symbol_most);
            reach = reach.saturating_add(most);
            known.push(term.digit);
        }
        // All values together are fewer than those of the type.
        reach <= 1 << form.bits
    }

    fn degree(&self, symbol: u32) -> u32 {
        match symbol {
            NONE => 0,
            symbol => match self.digits.digit(symbol).digit {
                Digit::Product(s, t) => self.degree(s) + self.degree(t),
                _ => 1,
            },
        }
    }

    /// The least number that a symbol can be.
    fn least_of(&self, symbol: u32) -> u64 {
        match self.digits.digit(symbol).digit {
            Digit::Value(value) => u64::from(matches!(self.function.op(value), Op::Special(Special::Grid(_)))),
            _ => 0,
        }
    }

    /// The greatest number that a digit can be.
    fn most_of(&self, digit: u32) -> u64 {
        let known = self.digits.digit(digit);
        match known.digit {
            Digit::Value(value) => known.most.min((self.range)(value).most),
            _ => known.most,
        }
    }

    /// The symbol that a digit is below.
    fn limit_of(&self, digit: u32) -> Option<u32> {
        match self.digits.digit(digit).digit {
            Digit::Remainder(_, By::Symbol(symbol)) => Some(symbol),
            Digit::Value(value) => self.digits.symbols().find(|&symbol| {
                let Digit::Value(limit) = self.digits.digit(symbol).digit else {
                    return false;
                };
                match (self.function.op(value), self.function.op(limit)) {
                    (Op::Special(Special::Block(axis)), Op::Special(Special::Grid(same))) => axis == same,
                    _ => (self.below)(value, limit),
                }
            }),
            _ => None,
        }
    }

    /// True if the digits make up the thread.
    fn covers(&self, known: &mut Vec<u32>) -> bool {
        let mut at = 0;
        while at < known.len() {
            if let Digit::Quotient(value, by) = self.digits.digit(known[at]).digit
                && known.iter().any(|&other| self.is_remainder(other, value, by))
                && let Some(form) = self.digits.form(value)
            {
                let mut more = Vec::new();
                if self.determines(form, &mut more) {
                    more.retain(|digit| !known.contains(digit));
                    known.extend(more);
                }
            }
            at += 1;
        }
        let has = |special: Special| {
            known.iter().any(|&digit| {
                matches!(self.digits.digit(digit).digit, Digit::Value(value) if self.function.op(value) == Op::Special(special))
            })
        };
        [Axis::X, Axis::Y, Axis::Z].into_iter().all(|axis| {
            let at = axis.index();
            let one_block = self.grid.is_some_and(|grid| grid[at] == 1);
            (self.function.block_size[at] == 1 || has(Special::Thread(axis)))
                && (one_block || has(Special::Block(axis)))
        })
    }

    /// True if a digit is the remainder of a value, or the lane index that equals it.
    fn is_remainder(&self, digit: u32, value: Value, by: By) -> bool {
        match self.digits.digit(digit).digit {
            Digit::Remainder(of, same) => of == value && same == by,
            Digit::Value(lane) => {
                let is_thread = self.function.op(value) == Op::Special(Special::Thread(Axis::X));
                let rows = self.function.block_size[0].is_multiple_of(32) || self.function.block_size[1..] == [1, 1];
                self.function.op(lane) == Op::Special(Special::Lane) && is_thread && rows && by == By::Constant(32)
            }
            _ => false,
        }
    }
}

/// True if a number is a sum of factors times differences of digits, of which one is not zero. The factors fall, and
/// there are at most six.
fn reaches(terms: &[(i128, i128)], number: i128, differs: bool) -> bool {
    let Some((&(factor, most), rest)) = terms.split_first() else {
        return number == 0 && differs;
    };
    let span: i128 = rest.iter().map(|&(factor, most)| factor.saturating_mul(most)).sum();
    let nearest = number.div_euclid(factor);
    // The remainder must be within reach of the smaller terms.
    [nearest, nearest + 1].into_iter().any(|times| {
        let left = number - times * factor;
        times.abs() <= most && left.abs() <= span && reaches(rest, left, differs || times != 0)
    })
}
