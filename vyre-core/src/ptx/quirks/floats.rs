//! Comparisons and selections of floats.

use vyre_ir::ir::BinaryOp;

use crate::ptx::entry::Writer;
use crate::ptx::text::{Class, Operand};
use crate::ssa::Value;

/// The type of a `selp`: never that of a float (quirk `selected_zero`).
pub(in crate::ptx) fn selected_type(class: Class) -> &'static str {
    class.untyped()
}

impl Writer<'_> {
    /// `a < b` or `a <= b` of `f32`, as the complement of the unordered opposite (quirk
    /// `compared_magnitude`).
    pub(in crate::ptx) fn less(&mut self, op: BinaryOp, value: Value, a: Value, b: Value) {
        let opposite = if op == BinaryOp::Lt {
            "setp.geu.f32"
        } else {
            "setp.gtu.f32"
        };
        self.plain(&[opposite], value, &[a, b]);
        let target = Operand::Register(self.register(value));
        self.text.instruction(&["not.pred"], &[target, target]);
    }
}
