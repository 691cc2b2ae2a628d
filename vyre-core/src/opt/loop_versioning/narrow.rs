//! Index arithmetic in 32 bits in the groups of iterations.
//!
//! GPUs have no 64-bit integer units: a minimum of 64-bit words takes four instructions, a comparison two, and a
//! division a hundred. Indices are words of 64 bits, but the values of most loops fit 32.
//!
//! **Algorithm.** An operation of the loop can be narrowed if all its operands are extended 32-bit words, small
//! constants, loop-invariant, linear in the counter with a constant factor, or other such operations. The predicate
//! before the loop asks that each invariant, the first value of each linear one, and the limit of the counter times the
//! factor are less than 2^31. The counter stays below its limit in a group, so a linear value grows by less
//! than that, and is less than 2^32 in each iteration. In the copies of the loop such an operand is truncated and
//! extended again; [`rules`](super::super::rules) make operations on 32-bit words of those on extended ones. Values as
//! they are in 64 bits never change, so this needs no ranges of operations that wrap.
//!
//! A product of such an operation and an invariant word, the pitch of a matrix, is the offset of a row. The predicate asks
//! that the pitch is less than 2^28: then it is scaled by the size of the elements in 32 bits, before the loop.
//!
//! **Cost:** linear in the operations of the loop; before the loop, one operation per value and one comparison.

use vyre_ir::ir::{BinaryOp, Scalar, Span};

use super::entry::Front;
use super::plan::Plan;
use crate::analysis::scev::{Form, Linear};
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Terminator, Ty, Value};

/// Limit of the nesting of operations that are narrowed together.
const MAX_DEPTH: u32 = 6;
/// Limit of the values that one predicate bounds.
const MAX_VALUES: usize = 8;
/// Limit of the factor of a linear value.
const MAX_FACTOR: u64 = 1 << 16;
/// Bound of the values that the predicate looks at.
const BOUND: u64 = 1 << 31;

/// Bound of pitches: their products with the sizes of elements, of at most 16 bytes, fit 32 bits.
const PITCH: u64 = 1 << 28;

/// The operations of a loop that its groups compute in 32 bits.
#[derive(Debug, Default)]
pub(super) struct Narrow {
    operations: Vec<Value>,
    /// Operands that are bounded by the predicate: invariant and linear ones.
    operands: Vec<Value>,
    /// The greatest factor of the linear ones, zero if there are none.
    factor: u64,
    /// The invariant words that operations are multiplied by.
    pitches: Vec<Value>,
}

impl Narrow {
    /// Finds the operations that gain, of a loop that this plan is for.
    pub(super) fn of(function: &Function, linear: &mut Linear<'_>, plan: &Plan, blocks: &[Block]) -> Narrow {
        let mut narrow = Narrow::default();
        if plan.scalar != Scalar::U64 {
            return narrow;
        }
        // Comparisons that the copies drop.
        let dropped: Vec<Value> = (plan.checks.iter().chain(&plan.fixed))
            .filter_map(|&guard| match function.op(guard) {
                Op::Guard { condition, .. } => Some(condition),
                _ => None,
            })
            .collect();
        let ends = |value: Value| matches!(&function.blocks[plan.latch].end, Terminator::Branch { condition, .. } if *condition == value);
        for &block in blocks {
            for &value in &function.blocks[block].body {
                let gains = match function.op(value) {
                    Op::Binary {
                        op,
                        scalar: Scalar::U64,
                        ..
                    } => match op {
                        BinaryOp::Min | BinaryOp::Max | BinaryOp::Div | BinaryOp::Rem => true,
                        BinaryOp::Lt | BinaryOp::Eq => !dropped.contains(&value) && !ends(value),
                        _ => false,
                    },
                    _ => false,
                };
                if gains && !linear.is_invariant(value) {
                    let found = (narrow.operations.len(), narrow.operands.len(), narrow.factor);
                    let fits = narrow.operation(function, linear, plan, value, MAX_DEPTH);
                    if !fits || narrow.operands.len() > MAX_VALUES {
                        narrow.operations.truncate(found.0);
                        narrow.operands.truncate(found.1);
                        narrow.factor = found.2;
                    }
                }
            }
        }
        if narrow.operands.is_empty() {
            // Rules have done it before.
            narrow.operations.clear();
        }
        narrow.find_pitches(function, linear, blocks);
        narrow
    }

    fn find_pitches(&mut self, function: &Function, linear: &Linear<'_>, blocks: &[Block]) {
        for &block in blocks {
            for &value in &function.blocks[block].body {
                let Op::Binary {
                    op: BinaryOp::Mul,
                    scalar: Scalar::U64,
                    a,
                    b,
                } = function.op(value)
                else {
                    continue;
                };
                let is_word = |value| matches!(function.op(value), Op::Convert { from: Scalar::U32, .. });
                let is_pitch = |pitch| linear.is_invariant(pitch) && is_word(pitch);
                let pairs = [(a, b), (b, a)].into_iter();
                let mut pitches = pairs.filter(|&(row, pitch)| self.operations.contains(&row) && is_pitch(pitch));
                if let Some((_, pitch)) = pitches.next().filter(|(_, pitch)| !self.pitches.contains(pitch)) {
                    self.pitches.push(pitch);
                }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Adds an operation and the operations and values that it is computed from, if it can be narrowed.
    fn operation(
        &mut self,
        function: &Function,
        linear: &mut Linear<'_>,
        plan: &Plan,
        value: Value,
        depth: u32,
    ) -> bool {
        if self.operations.contains(&value) {
            return true;
        }
        let Op::Binary {
            op,
            scalar: Scalar::U64,
            a,
            b,
        } = function.op(value)
        else {
            return false;
        };
        let keeps = match op {
            BinaryOp::Min | BinaryOp::Max | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Lt | BinaryOp::Eq => true,
            // Not below zero, after a maximum.
            BinaryOp::Sub => raised_to(function, a, |least| least == b),
            BinaryOp::Add => function.as_constant(b).is_some_and(|taken| {
                let enough = |least| function.as_constant(least) >= Some(taken.wrapping_neg());
                taken >> 63 == 1 && raised_to(function, a, enough)
            }),
            _ => false,
        };
        // The constant that is added has the sign of what is taken.
        let right = if op == BinaryOp::Add { a } else { b };
        let fits = depth > 0
            && keeps
            && [a, right]
                .into_iter()
                .all(|operand| self.operand(function, linear, plan, operand, depth - 1));
        if fits {
            self.operations.push(value);
        }
        fits
    }

    fn operand(&mut self, function: &Function, linear: &mut Linear<'_>, plan: &Plan, value: Value, depth: u32) -> bool {
        if self.operands.contains(&value) {
            return true;
        }
        match function.op(value) {
            Op::Constant(bits) => return u32::try_from(bits).is_ok(),
            _ if function.as_zero_extended(value).is_some() => return true,
            _ => {}
        }
        match linear.form(function, value) {
            Form::Invariant => self.operands.push(value),
            Form::Linear { counter, .. } if counter == plan.counter => match factor(function, linear, value) {
                Some(factor) if factor <= MAX_FACTOR => {
                    self.factor = self.factor.max(factor);
                    self.operands.push(value);
                }
                _ => return false,
            },
            _ => return self.operation(function, linear, plan, value, depth),
        }
        true
    }

    /// The predicate before the loop: `safe`, and that operands, and the counter if the copies count in 32 bits, fit
    /// 31 bits in all iterations.
    pub(super) fn predicate(
        &self,
        function: &mut Function,
        linear: &mut Linear<'_>,
        plan: &Plan,
        mut safe: Option<Value>,
    ) -> Option<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(self.operands.len() + 2);
        for &operand in &self.operands {
            values.push(linear.first(function, operand));
        }
        if plan.counts_narrow {
            values.push(plan.first);
            if self.factor <= 1 {
                values.push(plan.limit);
            }
        }
        let all = values
            .into_iter()
            .reduce(|others, value| linear.add(function, BinaryOp::Or, others, value));
        let block = plan.front;
        let mut front = Front { function, block };
        if let Some(all) = all {
            safe = Some(front.and_below(safe, Scalar::U64, all, BOUND));
        }
        if self.factor > 1 || self.factor == 1 && !plan.counts_narrow {
            safe = Some(front.and_below(safe, Scalar::U64, plan.limit, BOUND / self.factor.next_power_of_two()));
        }
        for &pitch in &self.pitches {
            safe = Some(front.and_below(safe, Scalar::U64, pitch, PITCH));
        }
        safe
    }

    /// Truncates and extends the operands of a copy that are known to fit, by operations before it.
    pub(super) fn operands(&self, function: &mut Function, original: Value, copied: Value, body: &mut Vec<Value>) {
        if !self.operations.contains(&original) {
            return;
        }
        let mut bounded = Vec::new();
        function.each_operand(original, |operand| bounded.push(self.operands.contains(&operand)));
        let mut operands = Vec::new();
        function.each_operand(copied, |operand| operands.push(operand));
        for (operand, _) in operands.iter_mut().zip(bounded).filter(|(_, bounded)| *bounded) {
            for (from, to) in [(Scalar::U64, Scalar::U32), (Scalar::U32, Scalar::U64)] {
                *operand = function.add_value(Op::Convert { from, to, a: *operand }, Ty::of(to), Span::NONE);
                body.push(*operand);
            }
        }
        let mut operands = operands.into_iter();
        function.visit_operands(copied, |operand| *operand = operands.next().unwrap_or(*operand));
    }
}

/// True if a value is a maximum with an operand that satisfies a condition.
fn raised_to(function: &Function, value: Value, condition: impl Fn(Value) -> bool) -> bool {
    matches!(function.op(value), Op::Binary { op: BinaryOp::Max, scalar: Scalar::U64, a, b } if condition(a) || condition(b))
}

/// The constant growth of a linear value per increment of the counter.
fn factor(function: &Function, linear: &Linear<'_>, value: Value) -> Option<u64> {
    if linear.is_invariant(value) {
        return Some(0);
    }
    match function.op(value) {
        Op::Binary { op, a, b, .. } => match op {
            BinaryOp::Add => factor(function, linear, a)?.checked_add(factor(function, linear, b)?),
            // One that falls may fall below zero.
            BinaryOp::Sub if linear.is_invariant(b) => factor(function, linear, a),
            BinaryOp::Mul => factor(function, linear, a)?.checked_mul(function.as_constant(b)?),
            BinaryOp::Shl => factor(function, linear, a)?.checked_mul(1 << (function.as_constant(b)? & 63)),
            _ => None,
        },
        // The counter itself.
        _ => Some(1),
    }
}
