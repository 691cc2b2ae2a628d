//! Indices of 32 bits that are sums of a word and small parts, constants and counters, and do not wrap.
//!
//! **Rules.** `a + b` does not wrap if the greatest numbers of both together fit 32 bits, which is asked of the launch, and
//! `a - c` for a constant if `a` is at least `c`. Then the extension of the sum is the sum of the extensions, at the check
//! and in all blocks that it dominates: bounds may follow from branches and earlier checks. Each part is taken off the
//! outermost sum, so that what is left is a word of the source as it stands, which may be anything, wrapped or not.
//!
//! Addresses gain by it: a constant ends in the offset of an access, and so does a counter once its loop is unrolled.
//! That is why only counters that constants bound are parts.
//!
//! Hashes wrap on purpose, and a condition that hardly any launch keeps would cost the whole entry. So a condition must hold
//! for a grid of 16,384 blocks, where all other numbers of the launch are one.
//!
//! **Cost:** as for a check.

use vyre_ir::ir::{BinaryOp, Scalar};

use super::extent::FUEL;
use super::sum::{Sum, Symbols};
use super::{Asked, Search};
use crate::analysis::digits::{Digit, NONE};
use crate::ssa::op::Op;
use crate::ssa::{Function, Value};

/// A grid of so many blocks must keep a condition.
const USUAL_BLOCKS: i64 = 1 << 14;

/// An index of 32 bits whose zero extension is a sum of 64 bits behind a check.
pub(crate) struct Wide {
    /// The index.
    pub(crate) index: Value,
    /// The check.
    pub(crate) guard: Value,
    /// The word that is extended.
    pub(crate) word: Value,
    /// The parts that are added to its extension.
    pub(crate) parts: Vec<Part>,
}

/// A part of a sum.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// A number, which may be negative.
    Constant(i64),
    /// The zero extension of a word.
    Word(Value),
}

impl Search<'_> {
    /// The index that a check compares as a sum of 64 bits, with what the launch must keep for that.
    pub(super) fn wide(&mut self, condition: Value, guard: Value) -> Option<(Wide, Vec<Asked>)> {
        let index = index(self.function, condition)?;
        // Constants bound it, so that no condition is needed.
        if self.digits.form(index).is_some_and(|form| form.is_exact()) {
            return None;
        }
        self.fuel = FUEL;
        self.asked.clear();
        let mut word = index;
        let mut parts = Vec::new();
        loop {
            let asked = self.asked.len();
            match self.part(word) {
                Some((rest, part)) if self.asked[asked..].iter().all(|asked| self.is_usual(asked)) => {
                    word = rest;
                    parts.push(part);
                }
                _ => {
                    self.asked.truncate(asked);
                    break;
                }
            }
        }
        let wide = Wide {
            index,
            guard,
            word,
            parts,
        };
        (!wide.parts.is_empty()).then(|| (wide, std::mem::take(&mut self.asked)))
    }

    /// True if usual launches keep what is asked.
    fn is_usual(&self, asked: &Asked) -> bool {
        let number = |(symbols, factor): &(Symbols, i64)| match self.has_grid(symbols) {
            true => factor.saturating_mul(USUAL_BLOCKS),
            false => *factor,
        };
        let numbers = asked.sum.terms().iter().map(number);
        let sum = numbers.fold(asked.sum.constant, i64::saturating_add);
        asked.bits > 62 || sum < 1 << asked.bits
    }

    /// A sum that does not wrap as the rest and a part.
    fn part(&mut self, sum: Value) -> Option<(Value, Part)> {
        let Op::Binary {
            op: BinaryOp::Add,
            scalar: Scalar::U32 | Scalar::I32,
            a,
            b,
        } = self.function.op(sum)
        else {
            return None;
        };
        if let Some(bits) = self.function.as_constant(b) {
            let constant = i64::from(bits as u32 as i32);
            if constant < 0 {
                let taken = Sum::constant(-constant);
                return self.is_at_least(a, &taken).then_some((a, Part::Constant(constant)));
            }
            let sum = self.most(a)?.plus_constant(constant)?;
            self.asked.push(Asked { sum, bits: 32 });
            return Some((a, Part::Constant(constant)));
        }
        let (rest, counter) = match (self.is_counter(b), self.is_counter(a)) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return None,
        };
        let sum = self.most(rest)?.plus(&self.most(counter)?, 1)?;
        self.asked.push(Asked { sum, bits: 32 });
        Some((rest, Part::Word(counter)))
    }

    /// True of a counter of a loop that constants bound.
    fn is_counter(&self, value: Value) -> bool {
        let Some(form) = self.digits.form(value) else {
            return false;
        };
        matches!(self.function.op(value), Op::Parameter)
            && matches!(form.terms, [term] if term.symbol == NONE
                && matches!(self.digits.digit(term.digit).digit, Digit::Trip(_)) && form.is_exact())
    }
}

/// The word whose extension a check compares with a length.
fn index(function: &Function, condition: Value) -> Option<Value> {
    let Op::Binary {
        op: BinaryOp::Lt,
        scalar: Scalar::U64,
        a,
        ..
    } = function.op(condition)
    else {
        return None;
    };
    function.as_zero_extended(a)
}
