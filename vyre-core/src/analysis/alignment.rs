//! The alignment of values: how many of their low bits are zero.
//!
//! **Rules.** Sums, differences, bitwise operations and selections keep the zeros that both operands have; a
//! product has those of both together; shifts by constants add or remove some. All of this holds modulo any
//! power of two, so wrapping changes nothing. Of special registers and memory nothing is known; how objects and
//! slices are aligned is for the caller to say, who knows their types, and what entries need.
//!
//! **Algorithm.** An optimistic fixed point: values start with all bits zero, and a parameter has the zeros that
//! all its arguments have. **Cost:** linear for each iteration; loops need a second one.

use vyre_ir::ir::BinaryOp;

use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Function, Ty, Value, filled};

/// For each value the number of its low bits known to be zero.
pub(crate) struct Alignment<'r> {
    zeros: Vec<u32>,
    /// The alignment of the addresses of objects and arguments, in bytes.
    roots: &'r dyn Fn(Op) -> u64,
}

impl<'r> Alignment<'r> {
    /// Analyses a function. `roots` says how the address of an object is aligned, and that of a slice which is an
    /// argument, in bytes, a power of two.
    pub(crate) fn of(function: &Function, flow: &Flow, roots: &'r dyn Fn(Op) -> u64) -> Self {
        let mut alignment = Alignment {
            zeros: filled(u64::BITS, function.values.len()),
            roots,
        };
        while alignment.iterate(function, flow) {}
        alignment
    }

    /// The number of a value's low bits known to be zero: an address with `n` of them is aligned to
    /// `1 << n` bytes.
    pub(crate) fn zeros(&self, function: &Function, value: Value) -> u32 {
        match function.op(value) {
            Op::Constant(0) => u64::BITS,
            Op::Constant(bits) => bits.trailing_zeros(),
            op @ Op::Address(_) => (self.roots)(op).trailing_zeros(),
            op @ Op::Argument { .. } if matches!(function.ty(value), Ty::Pointer(_)) => {
                (self.roots)(op).trailing_zeros()
            }
            op if op.is_root() => 0,
            // Nothing is known of values added since.
            _ => self.zeros.get(value.index()).copied().unwrap_or(0),
        }
    }

    fn iterate(&mut self, function: &Function, flow: &Flow) -> bool {
        let mut changed = false;
        for &block in &flow.order {
            let data = &function.blocks[block];
            for &value in &data.body {
                let zeros = self.operation(function, function.op(value));
                changed |= std::mem::replace(&mut self.zeros[value.index()], zeros) != zeros;
            }
            for edge in data.end.edges() {
                for (&parameter, &argument) in function.blocks[edge.block].parameters.iter().zip(&edge.arguments) {
                    let zeros = self.zeros[parameter.index()].min(self.zeros(function, argument));
                    changed |= std::mem::replace(&mut self.zeros[parameter.index()], zeros) != zeros;
                }
            }
        }
        changed
    }

    fn operation(&self, function: &Function, op: Op) -> u32 {
        let of = |value| self.zeros(function, value);
        match op {
            Op::Offset { base: a, bytes: b } | Op::Select { a, b, .. } => of(a).min(of(b)),
            Op::MulWide { a, b, .. } => (of(a) + of(b)).min(u64::BITS),
            Op::Convert { from, to, a } if from.is_integer() && to.is_integer() => of(a),
            Op::Binary { op, a, b, scalar } if scalar.is_integer() => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor => of(a).min(of(b)),
                BinaryOp::Min | BinaryOp::Max => of(a).min(of(b)),
                BinaryOp::And => of(a).max(of(b)),
                BinaryOp::Mul => (of(a) + of(b)).min(u64::BITS),
                BinaryOp::Shl => match function.as_constant(b) {
                    Some(amount) => of(a) + amount as u32 % scalar.bits(),
                    None => of(a),
                }
                .min(u64::BITS),
                BinaryOp::Shr => match function.as_constant(b) {
                    Some(amount) => of(a).saturating_sub(amount as u32 % scalar.bits()),
                    None => 0,
                },
                _ => 0,
            },
            _ => 0,
        }
    }
}
