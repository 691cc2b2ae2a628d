//! Uses of values: the values that need an instruction, its place, and the values that are fused
//! into their user.

use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use super::entry::Writer;
use crate::ssa::op::Op;
use crate::ssa::{Terminator, Value, filled};

impl Writer<'_> {
    pub(super) fn count_uses(&mut self) {
        for block in 0..self.graph.order.len() {
            let data = &self.function.blocks[self.graph.order[block]];
            for &value in &data.body {
                // The inverse of a comparison is a single comparison.
                let of = self.inverted(value).map_or(value, |(_, comparison)| comparison);
                let arithmetic = match self.function.op(of) {
                    Op::Unary { op, .. } => !matches!(op, UnaryOp::Neg | UnaryOp::Abs),
                    Op::Binary { .. } | Op::MulAdd { .. } | Op::Convert { .. } => true,
                    _ => false,
                };
                self.function
                    .each_operand(of, |operand| self.count(operand, !arithmetic));
            }
            if let Terminator::Branch { condition, .. } = data.end {
                self.count(condition, false);
            }
            for edge in data.end.edges() {
                edge.arguments.iter().for_each(|&argument| self.count(argument, true));
            }
        }
    }

    fn count(&mut self, value: Value, raw: bool) {
        let uses = &mut self.uses[value.index()];
        *uses = uses.saturating_add(1);
        self.raw[value.index()] |= raw;
    }

    /// The comparison whose inverse a value is, and the operator of the inverse.
    pub(super) fn inverted(&self, value: Value) -> Option<(&'static str, Value)> {
        let Op::Unary {
            op: UnaryOp::Not,
            scalar: Scalar::Bool,
            a,
        } = self.function.op(value)
        else {
            return None;
        };
        let Op::Binary { op, scalar, .. } = self.function.op(a) else {
            return None;
        };
        if scalar == Scalar::Bool {
            return None;
        }
        // For floats the inverse must hold for NaN.
        let float = scalar.is_float();
        let operator = match op {
            BinaryOp::Eq if float => "neu",
            BinaryOp::Eq => "ne",
            BinaryOp::Ne => "eq",
            BinaryOp::Lt if float => "geu",
            BinaryOp::Lt => "ge",
            BinaryOp::Le if float => "gtu",
            BinaryOp::Le => "gt",
            _ => return None,
        };
        Some((operator, a))
    }

    /// Finds products whose only use is a sum in the same block, and comparisons whose only use is
    /// a guard: each pair becomes one instruction.
    pub(super) fn fuse(&mut self) {
        let mut home = filled(u32::MAX, self.function.values.len());
        for &block in &self.graph.order {
            for &value in &self.function.blocks[block].body {
                home[value.index()] = block.index() as u32;
                if let Op::Guard { condition, .. } = self.function.op(value)
                    && self.uses[condition.index()] == 1
                    && home[condition.index()] == block.index() as u32
                    && self.is_guarded_comparison(condition)
                {
                    self.fused[condition.index()] = true;
                    continue;
                }
                let (a, b) = match self.function.op(value) {
                    Op::Binary {
                        op: BinaryOp::Add,
                        scalar: Scalar::U32 | Scalar::U64,
                        a,
                        b,
                    } => (a, b),
                    // The pointer is the summand, never the product. ptxas makes one instruction of a wide product and a
                    // sum, and two of their fusion.
                    Op::Offset { base, bytes } if !matches!(self.function.op(bytes), Op::MulWide { .. }) => {
                        (bytes, base)
                    }
                    _ => continue,
                };
                let fusible = |factor: Value| {
                    self.uses[factor.index()] == 1
                        && home[factor.index()] == block.index() as u32
                        && self.is_product(factor)
                };
                let product = if fusible(a) {
                    a
                } else if fusible(b) && !matches!(self.function.op(value), Op::Offset { .. }) {
                    b
                } else {
                    continue;
                };
                self.fused[product.index()] = true;
            }
        }
    }

    fn is_product(&self, value: Value) -> bool {
        matches!(
            self.function.op(value),
            Op::MulWide { .. }
                | Op::Binary {
                    op: BinaryOp::Mul,
                    scalar: Scalar::U32 | Scalar::U64,
                    ..
                }
        )
    }

    /// True if the instruction that uses a value computes it.
    pub(super) fn is_fused(&self, value: Value) -> bool {
        self.fused[value.index()]
    }

    /// Marks the values that must be computed on the path without faults.
    pub(super) fn mark_hot(&mut self) {
        let mut work = Vec::new();
        for &block in &self.graph.order {
            let data = &self.function.blocks[block];
            for run in data.body.chunk_by(|&a, &b| self.is_guard(a) == self.is_guard(b)) {
                if self.is_guard(run[0]) {
                    work.extend(self.decisive(run).into_iter().map(|guard| self.condition(guard)));
                    continue;
                }
                for &value in run {
                    if !self.function.op(value).is_pure() {
                        self.function.each_operand(value, |operand| work.push(operand));
                    }
                }
            }
            data.end.each_operand(|operand| work.push(operand));
        }
        while let Some(value) = work.pop() {
            if !std::mem::replace(&mut self.hot[value.index()], true) {
                let of = self.inverted(value).map_or(value, |(_, comparison)| comparison);
                self.function.each_operand(of, |operand| work.push(operand));
            }
        }
    }

    pub(super) fn is_guard(&self, value: Value) -> bool {
        matches!(self.function.op(value), Op::Guard { .. })
    }

    /// True if a value is used on the path without faults, or cannot be computed elsewhere.
    pub(super) fn is_hot(&self, value: Value) -> bool {
        self.hot[value.index()] || self.uses[value.index()] != 0 && !self.function.op(value).is_pure()
    }

    /// True if a value has uses.
    pub(super) fn is_used(&self, value: Value) -> bool {
        self.uses[value.index()] != 0
    }

    /// True if some user of a float may store it, where the sign of a NaN shows: anything but arithmetic.
    pub(super) fn shows_nan_sign(&self, value: Value) -> bool {
        self.raw[value.index()]
    }
}
