//! Facts about values at a block: their ranges, and the conditions that hold.
//!
//! **Rules.** The range of a value follows from its operation and from comparisons ([`bounds`]). A
//! condition that a branch or a guard has decided holds in every block that the target of the edge,
//! or the block of the guard, dominates: control cannot come there any other way, and values do not
//! change. Comparisons of floats bound their [`magnitude`].
//!
//! The facts grow while a pass walks the blocks in the order of the dominator tree and reports what
//! it visits; a query names a block. Nothing is known about values not yet visited.
//!
//! **Cost:** constant for each value and decision, and for each question the number of decisions
//! about the value that hold.

use std::cell::Cell;

use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use super::bounds::{self, Bounds, Range};
use super::conditions::Conditions;
use super::magnitude;
use crate::ssa::graph::Graph;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Terminator, Value};

/// The facts found by a walk so far.
pub(crate) struct Facts<'g> {
    graph: &'g Graph,
    bounds: Bounds<'g>,
    /// Conditions that branches and guards have decided.
    decisions: Conditions<bool>,
    /// Bounds of the absolute values of floats, found likewise.
    magnitudes: Conditions<f64>,
}

impl<'g> Facts<'g> {
    /// Nothing is known yet.
    pub(crate) fn new(function: &Function, graph: &'g Graph) -> Self {
        Facts {
            graph,
            bounds: Bounds::new(function, graph),
            decisions: Conditions::default(),
            magnitudes: Conditions::default(),
        }
    }

    /// The range of a value at a block.
    pub(crate) fn range(&self, function: &Function, value: Value, block: Block) -> Range {
        self.bounds.range(function, value, block)
    }

    /// The greatest number that comparisons leave to a value at a block.
    pub(crate) fn compared(&self, value: Value, block: Block) -> Option<u64> {
        self.bounds.compared(value, block)
    }

    /// The outcome of a condition at a block, if known.
    pub(crate) fn holds(&self, condition: Value, block: Block) -> Option<bool> {
        self.decisions.at(condition, self.graph, block).next()
    }

    /// The outcome of the unsigned comparison `a < b` at a block, if known.
    pub(crate) fn less_than(&self, function: &Function, a: Value, b: Value, block: Block) -> Option<bool> {
        self.bounds.less_than(function, a, b, block)
    }

    /// Calls `found` with each value and number for which this value plus the number is less than that value at a block, and
    /// does not wrap.
    pub(crate) fn each_order(&self, value: Value, block: Block, found: &mut dyn FnMut(Value, i64)) {
        self.bounds.each_order(value, block, found);
    }

    /// True if a value at a block is known to be the zero extension of its lower 32 bits.
    pub(crate) fn fits_32(&self, function: &Function, value: Value, block: Block) -> bool {
        self.range(function, value, block).most <= u64::from(u32::MAX)
    }

    /// True if a float at a block is known to be no NaN.
    pub(crate) fn is_number(&self, function: &Function, value: Value, block: Block) -> bool {
        self.magnitude(function, value, block, &Cell::new(magnitude::OPERATIONS))
            .is_some()
    }

    /// A bound of the absolute value of a float at a block, from at most `left` operations; none if it may be a NaN.
    fn magnitude(&self, function: &Function, value: Value, block: Block, left: &Cell<u32>) -> Option<f64> {
        let limit = self.magnitudes.at(value, self.graph, block).reduce(f64::min);
        if limit.is_some_and(f64::is_finite) || left.get() == 0 {
            return limit;
        }
        left.set(left.get() - 1);
        let data = &function.values[value];
        magnitude::of(function, data.op, data.ty, |operand| {
            self.magnitude(function, operand, block, left)
        })
        .or(limit)
    }

    /// Records the outcome implied by the edge to a block, if it is the only one.
    pub(crate) fn enter(&mut self, function: &Function, block: Block) {
        if let &[only] = self.graph.predecessors(block)
            && let &Terminator::Branch {
                condition,
                ref then,
                ref otherwise,
            } = &function.blocks[only].end
            && then.block != otherwise.block
        {
            self.decide(function, condition, then.block == block, block);
        }
    }

    /// Records a value whose operation is final.
    pub(crate) fn define(&mut self, function: &Function, value: Value, block: Block) {
        let data = &function.values[value];
        let range = bounds::of(function, data.op, data.ty, &|operand| {
            self.range(function, operand, block)
        });
        self.bounds.define(value, range);
    }

    /// Records a range of a value that holds everywhere.
    pub(crate) fn bound(&mut self, value: Value, range: Range) {
        self.bounds.define(value, range);
    }

    /// Records a range of a value in a block and below it, which does not follow from its operation.
    pub(crate) fn limit(&mut self, function: &Function, value: Value, range: Range, block: Block) {
        self.bounds.limit(function, value, range, block);
    }

    /// Records the outcome of a condition in a block and below it, and its consequences.
    pub(crate) fn decide(&mut self, function: &Function, condition: Value, holds: bool, block: Block) {
        self.decisions.add(condition, self.graph, block, holds);
        match (function.op(condition), holds) {
            (
                Op::Unary {
                    op: UnaryOp::Not, a, ..
                },
                _,
            ) => self.decide(function, a, !holds, block),
            (
                Op::Binary {
                    op: BinaryOp::And,
                    scalar: Scalar::Bool,
                    a,
                    b,
                },
                true,
            )
            | (
                Op::Binary {
                    op: BinaryOp::Or,
                    scalar: Scalar::Bool,
                    a,
                    b,
                },
                false,
            ) => {
                self.decide(function, a, holds, block);
                self.decide(function, b, holds, block);
            }
            (comparison @ Op::Binary { scalar, .. }, _) if scalar.is_integer() => {
                self.bounds.decide(function, comparison, holds, block);
            }
            (
                Op::Binary {
                    op: BinaryOp::Lt | BinaryOp::Le | BinaryOp::Eq,
                    scalar,
                    a,
                    b,
                },
                true,
            ) if scalar.is_float() => self.decide_float(function, a, b, block),
            _ => {}
        }
    }

    /// Derives bounds of floats from `a < b`, `a <= b` or `a == b`, which holds.
    fn decide_float(&mut self, function: &Function, a: Value, b: Value, block: Block) {
        for value in [a, b] {
            self.number(function, value, block, &mut { magnitude::SOURCES });
        }
        if let Op::Unary {
            op: UnaryOp::Abs, a: x, ..
        } = function.op(a)
        {
            let most = self.magnitude(function, b, block, &Cell::new(magnitude::OPERATIONS));
            for value in [a, x] {
                self.magnitudes
                    .add(value, self.graph, block, most.unwrap_or(f64::INFINITY));
            }
        }
    }

    /// Records that a float is no NaN, and so for at most `left` values that it was computed from.
    fn number(&mut self, function: &Function, value: Value, block: Block, left: &mut u32) {
        if *left == 0 || self.is_number(function, value, block) {
            return;
        }
        *left -= 1;
        self.magnitudes.add(value, self.graph, block, f64::INFINITY);
        if magnitude::passes_nan(function.op(value)) {
            function.each_operand(value, |operand| self.number(function, operand, block, left));
        }
    }
}
