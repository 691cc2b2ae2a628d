//! The predicate and limits computed before a versioned loop.
//!
//! A loop-invariant guard is decided directly. For the others, with a counter `i` that grows by `s`
//! to a limit `n`, and an index that is `e` in the first iteration and grows by `k` per unit of the
//! counter, the last index is `e + d * k`, where `d` is the greatest multiple of `s` that does not
//! exceed `n - 1 - i`; if `s` is not constant, `n - 1 - i` itself is used, which is not less. That
//! is computed in 64 bits, and the predicate fails if a product or sum overflows; if it holds, no
//! earlier index is greater. An index with a negative constant `k` is greatest in the first iteration, and must not fall
//! below zero.

use vyre_ir::ir::{BinaryOp, Scalar, Span, UnaryOp};

use super::plan::{Plan, Step, bounds_check};
use crate::analysis::scev::Linear;
use crate::ssa::function::unsigned;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Ty, Value};

/// The values computed before a loop.
pub(super) struct Entry {
    /// True if the copies of the loop may run: all checks hold in all iterations, and counting in groups does not wrap.
    /// `None` if nothing has to be tested.
    pub(super) safe: Option<Value>,
    /// For each size of groups.
    pub(super) stages: Vec<Stage>,
}

/// The values for a size of groups.
#[derive(Clone, Copy)]
pub(super) struct Stage {
    /// True if there are enough iterations for a group.
    pub(super) enough: Value,
    /// The exclusive bound of the counter for another group.
    pub(super) limit: Value,
    /// The growth of the counter in a group, unless it is a constant.
    pub(super) distance: Option<Value>,
}

impl Plan {
    /// Computes before the loop whether all checks hold in all iterations and counting in groups does not wrap, and
    /// whether there are enough iterations for a group.
    pub(super) fn entry(&self, function: &mut Function, linear: &mut Linear<'_>) -> Entry {
        let block = self.front;
        let mut front = Front { function, block };
        let stages = self.groups.iter().map(|&group| self.stage(&mut front, group)).collect();
        let mut safe = None;
        match self.step {
            Step::Constant(1) => {}
            Step::Constant(step) => {
                // The counter is compared after a group of steps, which reach `limit + step - 1`.
                let most = match (self.scalar.is_signed(), self.scalar.bits()) {
                    (false, 64) => u64::MAX,
                    (false, _) => u64::from(u32::MAX),
                    (true, 64) => i64::MAX as u64,
                    (true, _) => i32::MAX as u64,
                };
                safe = Some(front.and_below(safe, self.scalar, self.limit, most - step + 2));
            }
            Step::Invariant(step) => {
                // Far from the end of the type nothing wraps; launches come nowhere near it. With a
                // step of zero the loop is endless, in groups as without.
                let (most, far) = match self.scalar.bits() {
                    64 => (1 << 48, 1 << 62),
                    _ => (1 << 27, 1 << 31),
                };
                safe = Some(front.and_below(safe, self.scalar, step, most));
                safe = Some(front.and_below(safe, self.scalar, self.limit, far));
            }
        }
        for &guard in &self.fixed {
            if let Op::Guard { condition, .. } = front.function.op(guard) {
                let condition = self.fixed_condition(&mut front, linear, condition);
                safe = Some(front.and(safe, condition));
            }
        }
        if !self.checks.is_empty() {
            safe = self.all_checks_hold(function, linear, safe);
        }
        safe = self.narrow.predicate(function, linear, self, safe);
        Entry { safe, stages }
    }

    fn stage(&self, front: &mut Front<'_>, group: usize) -> Stage {
        let reach = self.reach(front, group);
        let limit = self.short_limit(front, reach);
        Stage {
            enough: front.binary(BinaryOp::Lt, self.scalar, self.first, limit),
            limit,
            distance: match self.step {
                Step::Constant(_) => None,
                Step::Invariant(step) => Some(front.binary(BinaryOp::Add, self.scalar, reach, step)),
            },
        }
    }

    /// An invariant condition, computed before the loop.
    fn fixed_condition(&self, front: &mut Front<'_>, linear: &Linear<'_>, condition: Value) -> Value {
        if linear.is_invariant(condition) {
            return condition;
        }
        let data = front.function.values[condition];
        let op = data.op.with_operands(|operand| match front.function.ty(operand) {
            Ty::Bool => self.fixed_condition(front, linear, operand),
            _ => operand,
        });
        front.add(op, data.ty)
    }

    fn all_checks_hold(&self, function: &mut Function, linear: &mut Linear<'_>, safe: Option<Value>) -> Option<Value> {
        let word = Scalar::U64;
        let minus_one = function.constant(Ty::I64, u64::MAX);
        let zero = function.constant(Ty::I64, 0);
        let last = linear.add(function, BinaryOp::Add, self.limit, minus_one);
        let mut distance = linear.add(function, BinaryOp::Sub, last, self.first);
        if let Step::Constant(step @ 2..) = self.step {
            // The last iteration is that of the last multiple.
            let step = function.constant(Ty::I64, step);
            let rest = linear.add(function, BinaryOp::Rem, distance, step);
            distance = linear.add(function, BinaryOp::Sub, distance, rest);
        }
        let mut all = safe;
        for &check in &self.checks {
            let Some((index, length)) = bounds_check(function, check) else {
                continue;
            };
            let first = linear.first(function, index);
            let factor = linear.factor(function, index);
            let falls = function.as_constant(factor).filter(|&factor| factor >> 63 == 1);
            let mut front = Front {
                function,
                block: self.front,
            };
            let growth = falls.map_or(factor, |factor| front.constant(Ty::I64, factor.wrapping_neg()));
            let product = front.binary(BinaryOp::Mul, word, distance, growth);
            let excess = front.binary(BinaryOp::MulHigh, word, distance, growth);
            let fits = front.binary(BinaryOp::Eq, word, excess, zero);
            // The greatest index, and its lower bound where nothing wraps: the first index, or the fall from it.
            let (greatest, least) = match falls {
                Some(_) => (first, product),
                None => (front.binary(BinaryOp::Add, word, first, product), first),
            };
            let inside = front.binary(BinaryOp::Lt, word, greatest, length);
            let wraps = front.binary(BinaryOp::Lt, word, greatest, least);
            let ordered = front.not(wraps);
            for term in [fits, inside, ordered] {
                all = Some(front.and(all, term));
            }
        }
        all
    }

    /// The growth of the counter from the first to the last iteration of a group.
    fn reach(&self, front: &mut Front<'_>, group: usize) -> Value {
        let steps = group as u64 - 1;
        let ty = Ty::of(self.scalar);
        match self.step {
            Step::Constant(step) => front.constant(ty, steps * step),
            Step::Invariant(step) => {
                let steps = front.constant(ty, steps);
                front.binary(BinaryOp::Mul, self.scalar, step, steps)
            }
        }
    }

    /// The exclusive bound of the counter for another group.
    fn short_limit(&self, front: &mut Front<'_>, reach: Value) -> Value {
        let unsigned = unsigned(self.scalar);
        let least = match (self.scalar.is_signed(), self.scalar.bits()) {
            (false, _) => reach,
            (true, bits) => {
                let least = front.constant(Ty::of(self.scalar), 1 << (bits - 1));
                front.binary(BinaryOp::Add, unsigned, least, reach)
            }
        };
        let raised = front.binary(BinaryOp::Max, self.scalar, self.limit, least);
        front.binary(BinaryOp::Sub, unsigned, raised, reach)
    }
}

/// Appends operations to a block.
pub(super) struct Front<'f> {
    pub(super) function: &'f mut Function,
    pub(super) block: Block,
}

impl Front<'_> {
    fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        self.function.constant(ty, bits)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        let ty = if op.is_comparison() { Ty::Bool } else { Ty::of(scalar) };
        self.add(Op::Binary { op, scalar, a, b }, ty)
    }

    /// True if a predicate, if there is one, and a term hold.
    fn and(&mut self, predicate: Option<Value>, term: Value) -> Value {
        match predicate {
            Some(predicate) => self.binary(BinaryOp::And, Scalar::Bool, predicate, term),
            None => term,
        }
    }

    /// True if a predicate, if there is one, holds and a value is below a number.
    pub(super) fn and_below(&mut self, predicate: Option<Value>, scalar: Scalar, value: Value, limit: u64) -> Value {
        let limit = self.constant(Ty::of(scalar), limit);
        let below = self.binary(BinaryOp::Lt, scalar, value, limit);
        self.and(predicate, below)
    }

    fn not(&mut self, a: Value) -> Value {
        let (op, scalar) = (UnaryOp::Not, Scalar::Bool);
        self.add(Op::Unary { op, scalar, a }, Ty::Bool)
    }

    /// A word whose high half is known to be zero, as its low half that is extended.
    pub(super) fn low_half(&mut self, word: Value) -> Value {
        let (wide, half) = (Scalar::U64, Scalar::U32);
        let low = self.add(
            Op::Convert {
                from: wide,
                to: half,
                a: word,
            },
            Ty::of(half),
        );
        self.add(
            Op::Convert {
                from: half,
                to: wide,
                a: low,
            },
            Ty::of(wide),
        )
    }

    fn add(&mut self, op: Op, ty: Ty) -> Value {
        let value = self.function.add_value(op, ty, Span::NONE);
        self.function.blocks[self.block].body.push(value);
        value
    }
}
