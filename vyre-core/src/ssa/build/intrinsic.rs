//! Intrinsics: most are translated one to one. A copy is split into pieces.

use vyre_abi::fault::FaultKind;
use vyre_ir::ir::{Among, ExprId, Handle, Intrinsic, Local, Output, Type};

use super::Builder;
use crate::ssa::op::Op;
use crate::ssa::{Ty, Value, filled};

impl Builder<'_, '_> {
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, operands: &[ExprId], result: Option<Handle<Local>>) {
        if let (Intrinsic::AsyncCopy { count }, &[to, from]) = (intrinsic, operands) {
            return self.async_copy([to, from], count);
        }
        let row = intrinsic.row();
        let mut values = Vec::new();
        for (&operand, takes) in operands.iter().zip(row.operands) {
            let first = values.len();
            self.words(operand, &mut values);
            if takes.is_address() {
                // Not the length of a slice.
                values.truncate(first + 1);
            }
        }
        if row.accesses_memory() {
            self.accessing = operands.first().and_then(|&operand| self.accesses().through(operand));
        }
        let results = match row.among {
            Among::Warp => self.warp(intrinsic, values),
            _ => self.emit_results(intrinsic, &values),
        };
        self.accessing = None;
        if let (Intrinsic::GridBarrier, &[opened]) = (intrinsic, &results[..]) {
            self.guard_plain(opened, FaultKind::GridBarrier, "");
        }
        if let Some(result) = result {
            self.initialise(result, &results);
        }
    }

    /// Appends an intrinsic to the current block.
    pub(super) fn emit_intrinsic(&mut self, intrinsic: Intrinsic, operands: &[Value]) -> Value {
        let ty = match intrinsic.row().yields() {
            Output::Nothing | Output::Array { .. } => Ty::Unit,
            Output::Scalar(scalar) => Ty::of(scalar),
            Output::First => self.function.ty(operands[0]),
        };
        let operands = self.function.lists.add(operands);
        self.emit(Op::Intrinsic { intrinsic, operands }, ty)
    }

    /// Appends an intrinsic to the current block; returns its results.
    pub(super) fn emit_results(&mut self, intrinsic: Intrinsic, operands: &[Value]) -> Vec<Value> {
        let value = self.emit_intrinsic(intrinsic, operands);
        match intrinsic.row().yields() {
            Output::Nothing => Vec::new(),
            Output::Scalar(_) | Output::First => vec![value],
            Output::Array { element, length } => self.results(value, &filled(Ty::of(element), length as usize)),
        }
    }

    /// Starts a copy of `count` elements, in pieces as large as their size allows.
    fn async_copy(&mut self, ends: [ExprId; 2], count: u64) {
        let [to, from] = ends.map(|end| {
            let mut words = Vec::new();
            self.words(end, &mut words);
            words[0]
        });
        let held = match self.program.types[self.body().exprs[ends[0]].ty] {
            Type::Reference { pointee: held, .. } | Type::Slice { element: held, .. } => held,
            _ => return,
        };
        let access = self.accesses().through(ends[0]);
        let shape = self.shapes.of(held);
        let (total, align) = (shape.size.wrapping_mul(count), shape.align.clamp(1, 16) as u8);
        let bytes = [16, 8].into_iter().find(|bytes| total % bytes == 0).unwrap_or(4);
        self.times(total / bytes, &mut |this, index| {
            let to = this.element_address(to, index, bytes);
            let from = this.element_address(from, index, bytes);
            this.accessing = access;
            let intrinsic = Intrinsic::CopyPiece {
                offsets: [0; 2],
                bytes: bytes as u8,
                align,
            };
            this.emit_intrinsic(intrinsic, &[to, from]);
            this.accessing = None;
        });
    }
}
