//! Parameters of blocks: the counters of loops, and what all edges agree on.

use vyre_ir::ir::{BinaryOp, UnaryOp};

use super::super::bounds;
use super::sum::Sum;
use super::walk::{Walk, has_sum};
use super::{Digit, Known, NONE, Term};
use crate::ssa::op::Op;
use crate::ssa::{Block, Terminator, Value};

impl Walk<'_> {
    /// Finds the sums of a block's parameters.
    pub(super) fn parameters(&mut self, block: Block) {
        let function = self.function;
        let here = self.flow.position(block);
        let mut trip = NONE;
        for (position, &parameter) in function.blocks[block].parameters.iter().enumerate() {
            if !has_sum(function.ty(parameter)) {
                continue;
            }
            let mut back = None;
            let mut backs = 0;
            let mut first: Option<Value> = None;
            let (mut agree, mut most, mut zeros) = (true, 0, u64::BITS);
            for &from in self.flow.predecessors(block) {
                for edge in function.blocks[from].end.edges() {
                    if edge.block != block {
                        continue;
                    }
                    let argument = edge.arguments[position];
                    if self.flow.position(from) >= here {
                        back = Some((from, argument));
                        backs += 1;
                        continue;
                    }
                    most = most.max(self.bound(argument));
                    zeros = zeros.min(self.digits.zeros(argument));
                    agree &= first.is_none_or(|first| self.digits.distance(first, argument) == Some(0));
                    first = Some(argument);
                }
            }
            let (Some((latch, next)), 1) = (back, backs) else {
                match first {
                    Some(first) if backs == 0 && agree => {
                        if let Some(form) = self.digits.form(first) {
                            let mut sum = Sum::new(form.bits, 0);
                            sum.add_scaled(form, 1);
                            self.store(parameter, &sum);
                        }
                    }
                    _ if backs == 0 => self.own_digit(parameter, most, zeros, false),
                    _ => self.own_digit(parameter, bounds::of_type(function.ty(parameter)), 0, false),
                }
                continue;
            };
            let Some((step, falls)) = self.step(parameter, next) else {
                // A value that the loop passes on, or one whose low bits are those of a counter.
                let same = next == parameter;
                let zeros = if same {
                    zeros
                } else {
                    zeros.min(self.step_zeros(parameter, next))
                };
                let most = if same {
                    most
                } else {
                    bounds::of_type(function.ty(parameter))
                };
                self.own_digit(parameter, most, zeros, false);
                continue;
            };
            if trip == NONE {
                trip = self.trip(block, latch);
            }
            let sum = first
                .filter(|_| agree)
                .and_then(|first| self.counter(first, step, falls, trip));
            match sum {
                Some(sum) => self.store(parameter, &sum),
                None => {
                    let zeros = zeros.min(self.digits.zeros(step));
                    self.own_digit(parameter, bounds::of_type(function.ty(parameter)), zeros, false);
                }
            }
        }
    }

    /// The step of a parameter whose value in the next iteration is known before the loop, and whether it falls.
    pub(super) fn step(&self, parameter: Value, next: Value) -> Option<(Value, bool)> {
        let known = |value: Value| self.digits.of[value.index()] != NONE;
        match self.function.op(next) {
            Op::Offset { base: a, bytes: b } if a == parameter && known(b) => Some((b, false)),
            Op::Binary { op, a, b, .. } => match op {
                BinaryOp::Add if a == parameter && known(b) => Some((b, false)),
                BinaryOp::Add if b == parameter && known(a) => Some((a, false)),
                BinaryOp::Sub if a == parameter && known(b) => Some((b, true)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The low zero bits of the step of a parameter of which a word is counted.
    pub(super) fn step_zeros(&self, parameter: Value, next: Value) -> u32 {
        match self.function.op(self.word(next)) {
            Op::Binary {
                op: BinaryOp::Add,
                a,
                b,
                ..
            } if self.word(a) == parameter => self.digits.zeros(b).min(u32::BITS),
            _ => 0,
        }
    }

    /// A value before its conversions, all of which keep the low 32 bits.
    pub(super) fn word(&self, mut value: Value) -> Value {
        while let Op::Convert { from, to, a } = self.function.op(value)
            && from.is_integer()
            && from.bits() >= 32
            && to.is_integer()
        {
            value = a;
        }
        value
    }

    /// The sum of a counter: its first value, and its step times the trip.
    pub(super) fn counter(&mut self, first: Value, step: Value, falls: bool, trip: u32) -> Option<Sum> {
        let sign = if falls { -1 } else { 1 };
        let first = self.digits.form(first)?;
        let mut sum = Sum::new(first.bits, 0);
        sum.add_scaled(first, 1);
        let step = self.digits.form(step)?;
        sum.add(Term {
            factor: step.constant.wrapping_mul(sign),
            symbol: NONE,
            digit: trip,
        });
        for term in step.terms {
            if !self.digits.digits[term.digit as usize].is_symbol {
                return None;
            }
            sum.add(Term {
                factor: term.factor.wrapping_mul(sign),
                symbol: term.digit,
                digit: trip,
            });
        }
        (!sum.failed).then_some(sum)
    }

    /// The digit of a loop's trips. A test that each iteration passes bounds it: where the header has the test, the other blocks
    /// of the loop are behind the edge on which it holds, so they are not in the trip that ends the loop.
    pub(super) fn trip(&mut self, header: Block, latch: Block) -> u32 {
        let function = self.function;
        let parameters = &function.blocks[header].parameters;
        let (mut most, mut inside) = (u64::MAX, u64::MAX);
        // The test is at the end of an iteration, of the next value, or at its start.
        for (block, tests_next) in [(latch, true), (header, false)] {
            let stays = |target: Option<Block>| match (target, self.given.inside) {
                (Some(target), _) if tests_next => target == header,
                (Some(target), Some(inside)) => inside(header, target),
                _ => false,
            };
            let [then, otherwise] = function.blocks[block].end.targets();
            let (then, otherwise) = (stays(then), stays(otherwise));
            if then == otherwise {
                continue;
            }
            let Some((a, b)) = self.test(block, then) else {
                continue;
            };
            for (position, &parameter) in parameters.iter().enumerate() {
                if let Some(next) = self.passed(latch, header, position)
                    && a == if tests_next { next } else { parameter }
                {
                    let trips = self.trips(header, position, next, b, tests_next);
                    most = most.min(trips);
                    inside = inside.min(match tests_next {
                        false if trips != u64::MAX => trips.saturating_sub(1),
                        _ => trips,
                    });
                }
            }
        }
        self.digit(Known {
            digit: Digit::Trip(header),
            most,
            inside,
            zeros: 0,
            is_symbol: false,
        })
    }

    /// The argument that a block passes.
    fn passed(&self, from: Block, to: Block, position: usize) -> Option<Value> {
        for edge in self.function.blocks[from].end.edges() {
            if edge.block == to {
                return Some(edge.arguments[position]);
            }
        }
        None
    }

    /// The operands of the unsigned comparison `a < b` that holds where control leaves a block by its first edge, or by
    /// its second one.
    fn test(&self, block: Block, mut holds: bool) -> Option<(Value, Value)> {
        let Terminator::Branch { mut condition, .. } = self.function.blocks[block].end else {
            return None;
        };
        while let Op::Unary {
            op: UnaryOp::Not, a, ..
        } = self.function.op(condition)
        {
            (condition, holds) = (a, !holds);
        }
        match self.function.op(condition) {
            Op::Binary {
                op: BinaryOp::Lt,
                scalar,
                a,
                b,
            } if holds && scalar.is_integer() && !scalar.is_signed() => Some((a, b)),
            _ => None,
        }
    }

    /// The most trips of a loop whose counter, or its next value, is below a limit in all iterations but the last.
    pub(super) fn trips(&self, header: Block, position: usize, next: Value, limit: Value, tests_next: bool) -> u64 {
        let function = self.function;
        let parameter = function.blocks[header].parameters[position];
        let Some((step, false)) = self.step(parameter, next) else {
            return u64::MAX;
        };
        let Some(step @ 1..) = function.as_constant(step) else {
            return u64::MAX;
        };
        let mut first = (u64::MAX, 0);
        for &from in self.flow.predecessors(header) {
            for edge in function.blocks[from].end.edges() {
                if edge.block == header && edge.arguments[position] != next {
                    let range = self.range(edge.arguments[position]);
                    first = (first.0.min(range.least), first.1.max(range.most));
                }
            }
        }
        if self.digits.of[limit.index()] == NONE {
            return u64::MAX;
        }
        let last = self.bound(limit).saturating_sub(1);
        // The counter is at most `last` before each step but the first.
        let most = bounds::of_type(function.ty(parameter));
        let top = if tests_next { last.max(first.1) } else { last };
        if top.checked_add(step).is_none_or(|top| top > most) {
            return u64::MAX;
        }
        let trips = last.saturating_sub(first.0) / step;
        match tests_next {
            true => trips,
            false if last < first.0 => 0,
            // The test that ends the loop is one more.
            false => trips + 1,
        }
    }
}
