//! Necessary conditions: a launch that breaks one has a race, unless a check fails.
//!
//! The rule for numbers in mixed radix ([`parts`](super::parts)) asks for enough, and other reasons may keep threads apart. But
//! let all threads of the launch come to the access, and each part be the index of threads or blocks along another axis. Let
//! smaller parts make up a run: indices of threads and blocks, each of which begins where the one before it ends, so that they
//! take all multiples of a unit below a bound. And let the next part be the index of a thread, whose factor is a multiple of
//! the unit. If that is below the bound, the run takes it: a thread with the index 1 and 0 in the run and one with the
//! index 0 meet.

use super::parts::{Pair, Part, What};
use crate::analysis::digits::Digit;
use crate::ssa::op::{Op, Special};

/// Parts of a sum that take all multiples of a unit from zero up to a bound.
pub(super) struct Run {
    unit: i128,
    /// The symbols that all factors have.
    symbols: Vec<u32>,
    /// The bound, times these symbols, if it is a constant.
    end: Option<i128>,
}

impl Pair<'_> {
    /// The numbers of threads or blocks of which a part is the index, if it takes all of them: `None` for those of the grid.
    pub(super) fn indices(&self, part: &Part) -> Option<Option<u64>> {
        let What::Digit(digit) = part.what else { return None };
        let Digit::Value(value) = self.digits.digit(digit).digit else {
            return None;
        };
        match self.function.op(value) {
            Op::Special(Special::Thread(axis)) => {
                let size = u64::from(self.function.block_size[axis.index()]);
                (part.span + 1 == size).then_some(Some(size))
            }
            Op::Special(Special::Block(_)) => Some(None),
            _ => None,
        }
    }

    /// The run that ends with a part, which may go on another one.
    pub(super) fn run(&self, before: Option<Run>, part: &Part) -> Option<Run> {
        let size = self.indices(part)?;
        let end = size.map(|size| part.factor.saturating_mul(size.into()));
        let unit = match before {
            Some(run) if run.symbols == part.symbols && run.end == Some(part.factor) => run.unit,
            _ => part.factor,
        };
        Some(Run {
            unit,
            symbols: part.symbols.clone(),
            end,
        })
    }

    /// True if a run reaches a part wherever that does not begin behind it.
    pub(super) fn reaches(&self, run: &Run, part: &Part) -> bool {
        let mut symbols = part.symbols.clone();
        let mut has = |symbol: &u32| {
            let at = symbols.iter().position(|own| own == symbol);
            at.map(|at| symbols.swap_remove(at)).is_some()
        };
        // There are at least two threads along an axis that counts.
        matches!(self.indices(part), Some(Some(_))) && run.symbols.iter().all(&mut has) && part.factor % run.unit == 0
    }
}
