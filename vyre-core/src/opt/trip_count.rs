//! Trip counts that are known when a kernel is compiled.
//!
//! **Algorithm.** The exit branch of a loop, in its latch or header, depends on parameters of its
//! header. If these start at constants, and their next values depend on them alone, the test is
//! evaluated iteration by iteration until it exits: this covers numbers that are halved or doubled, and several counters.
//! The trip count of one counter with a constant step is a division.

use vyre_ir::ir::{BinaryOp, Constant, Scalar};

use super::rules;
use crate::analysis::loop_forest::{Loop, LoopForest};
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Terminator, Value};

/// Limit of the operations between a counter and an index or a test computed from it.
pub(super) const MAX_DEPTH: u32 = 6;

/// The computation of a loop's trip count.
pub(super) struct TripCount {
    /// The block with the exit branch.
    pub(super) test: Block,
    /// Its condition.
    condition: Value,
    /// The latch.
    pub(super) latch: Block,
    /// The value of the condition that continues the loop.
    pub(super) stays: bool,
    /// The header's parameters that it depends on.
    pub(super) counters: Vec<Value>,
    /// Their bits in the first iteration.
    bits: Vec<u64>,
    /// Their next values, at the end of an iteration.
    next: Vec<Value>,
}

impl TripCount {
    /// The computation of a loop's exit test, if it depends only on counters with constant initial
    /// values.
    pub(super) fn of(function: &Function, forest: &LoopForest, number: usize) -> Option<TripCount> {
        let this = &forest.loops[number];
        let &[latch] = this.latches.as_slice() else { return None };
        let inside = |block: Block| forest.contains(number, block);
        // The test stands at the end of the iteration or at its top, so that every iteration meets it once.
        for test in [latch, this.header] {
            let Terminator::Branch {
                condition,
                then,
                otherwise,
            } = &function.blocks[test].end
            else {
                continue;
            };
            let stays = inside(then.block);
            if stays == inside(otherwise.block) {
                continue;
            }
            let mut trips = TripCount {
                test,
                condition: *condition,
                latch,
                stays,
                counters: Vec::new(),
                bits: Vec::new(),
                next: Vec::new(),
            };
            for counter in counters(function, this, latch, *condition, &[])? {
                trips.counters.push(counter.parameter);
                trips.bits.push(function.as_constant(counter.first)?);
                trips.next.push(counter.next);
            }
            return Some(trips);
        }
        None
    }

    /// The trip count, if it is at most `most`.
    pub(super) fn count(&self, function: &Function, most: usize) -> Option<usize> {
        match self.linear(function) {
            Some(count) => usize::try_from(count).ok().filter(|&count| count <= most),
            None => self.evaluated(function, most),
        }
    }

    /// The trip count where one counter goes by a constant step up to a constant bound, or down, and does not overflow.
    fn linear(&self, function: &Function) -> Option<i128> {
        let (&[counter], &[first], &[next]) = (&self.counters[..], &self.bits[..], &self.next[..]) else {
            return None;
        };
        let (test, scalar, tested, bound) = operation(function, self.condition)?;
        let (change, of, changed, by) = operation(function, next)?;
        if of != scalar || !scalar.is_integer() || changed != counter {
            return None;
        }
        let unused = 64 - scalar.bits();
        let by = i128::from((by << unused) as i64 >> unused);
        let step = match change {
            BinaryOp::Add => by,
            BinaryOp::Sub => -by,
            _ => return None,
        };
        let number = |bits: u64| Constant::new(scalar, bits).as_i128();
        let start = match tested {
            value if value == counter => number(first),
            value if value == next => number(first) + step,
            _ => return None,
        };
        let distance = number(bound) - start;
        // The distance to the first number that fails the test.
        let distance = match (test, self.stays) {
            (BinaryOp::Lt, true) | (BinaryOp::Ge, false) if step > 0 => distance,
            (BinaryOp::Le, true) | (BinaryOp::Gt, false) if step > 0 => distance + 1,
            (BinaryOp::Gt, true) | (BinaryOp::Le, false) if step < 0 => -distance,
            (BinaryOp::Ge, true) | (BinaryOp::Lt, false) if step < 0 => -distance + 1,
            (BinaryOp::Ne, true) | (BinaryOp::Eq, false) if step != 0 && distance % step == 0 => {
                distance * step.signum()
            }
            _ => return None,
        };
        let is_equality = matches!(test, BinaryOp::Ne | BinaryOp::Eq);
        if distance < 0 && is_equality {
            return None;
        }
        let steps = (distance.max(0) + step.abs() - 1) / step.abs();
        let last = start + steps * step;
        let all = if scalar.is_signed() {
            scalar.bits() - 1
        } else {
            scalar.bits()
        };
        let least = if scalar.is_signed() { -(1 << all) } else { 0 };
        ((least..1 << all).contains(&start) && (least..1 << all).contains(&last)).then_some(steps + 1)
    }

    /// The trip count by evaluation of the test, iteration by iteration.
    fn evaluated(&self, function: &Function, most: usize) -> Option<usize> {
        let mut now = self.bits.clone();
        for iteration in 1..=most {
            let bits = |value: Value| {
                rules::bits(function, value, MAX_DEPTH, &|value| {
                    let position = self.counters.iter().position(|&counter| counter == value)?;
                    Some(now[position])
                })
            };
            if (bits(self.condition)? == 1) != self.stays {
                return Some(iteration);
            }
            let next: Option<Vec<u64>> = self.next.iter().map(|&next| bits(next)).collect();
            now = next?;
        }
        None
    }
}

/// A binary operation on a value and a constant.
fn operation(function: &Function, value: Value) -> Option<(BinaryOp, Scalar, Value, u64)> {
    match function.op(value) {
        Op::Binary { op, scalar, a, b } => Some((op, scalar, a, function.as_constant(b)?)),
        _ => None,
    }
}

/// A parameter of a header that decides when its loop exits.
pub(super) struct Counter {
    pub(super) parameter: Value,
    /// Its value in the first iteration.
    pub(super) first: Value,
    /// Its value in the next iteration.
    next: Value,
}

/// The parameters of a loop's header that a condition depends on, if it depends on nothing else but constants and
/// `known` values.
pub(super) fn counters(
    function: &Function,
    this: &Loop,
    latch: Block,
    condition: Value,
    known: &[Value],
) -> Option<Vec<Counter>> {
    let header = &function.blocks[this.header].parameters;
    let passed = |block: Block, position: usize| {
        let mut edges = function.blocks[block].end.edges();
        Some(edges.find(|edge| edge.block == this.header)?.arguments[position])
    };
    let mut found: Vec<Counter> = Vec::new();
    let mut asked = vec![condition];
    while let Some(value) = asked.pop() {
        for parameter in leaves(function, value, MAX_DEPTH)? {
            if known.contains(&parameter) || found.iter().any(|counter| counter.parameter == parameter) {
                continue;
            }
            let position = header.iter().position(|&of| of == parameter)?;
            let (first, next) = (passed(this.preheader(), position)?, passed(latch, position)?);
            found.push(Counter { parameter, first, next });
            asked.push(next);
        }
    }
    Some(found)
}

/// The parameters that a value is computed from, if it depends on nothing else but constants.
pub(super) fn leaves(function: &Function, value: Value, depth: u32) -> Option<Vec<Value>> {
    let op = function.op(value);
    match op {
        Op::Constant(_) => return Some(Vec::new()),
        Op::Parameter => return Some(vec![value]),
        _ if op.is_root() || !op.is_speculatable() || depth == 0 => return None,
        _ => {}
    }
    let mut found = Some(Vec::new());
    function.each_operand(value, |operand| {
        let more = leaves(function, operand, depth - 1);
        found = found.take().zip(more).map(|(mut found, more)| {
            found.extend(more);
            found
        });
    });
    found
}

#[cfg(test)]
mod tests;
