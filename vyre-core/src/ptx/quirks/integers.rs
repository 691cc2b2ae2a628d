//! Negations, absolute values and extrema of integers.

use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use crate::ptx::entry::Writer;
use crate::ptx::text::{Class, Operand, type_name};
use crate::ssa::Value;
use crate::ssa::op::Op;

impl Writer<'_> {
    /// `-a`. Never `sub 0, a` (quirk `rotated_difference`).
    pub(in crate::ptx) fn negation(&mut self, value: Value, scalar: Scalar, a: Value) {
        self.plain(&["neg.", if scalar.size() == 8 { "s64" } else { "s32" }], value, &[a]);
    }

    /// `max(-a, a)`. Never `abs` (quirk `remainder_of_abs`).
    pub(in crate::ptx) fn integer_abs(&mut self, value: Value, scalar: Scalar, a: Value) {
        if let Some(opposite) = self.negated(a) {
            // `max(-b, b)`, of which one operand is a negation.
            return self.extremum(BinaryOp::Max, scalar, value, a, opposite);
        }
        let name = type_name(scalar);
        let class = if scalar.size() == 8 { Class::Double } else { Class::Word };
        let negated = Operand::Register(self.text.register(class));
        let a = self.operand(a);
        self.text.instruction(&["neg.", name], &[negated, a]);
        let target = Operand::Register(self.register(value));
        self.text.instruction(&["max.", name], &[target, negated, a]);
    }

    /// The smaller or greater of two values. A negated operand of one word becomes `~b + 1`
    /// (quirk `extremum_of_negation`).
    pub(in crate::ptx) fn extremum(&mut self, op: BinaryOp, scalar: Scalar, value: Value, a: Value, b: Value) {
        let operands = [a, b].map(|operand| match self.negated(operand) {
            Some(opposite) => {
                let register = Operand::Register(self.text.register(Class::Word));
                let opposite = self.operand(opposite);
                self.text.instruction(&["not.b32"], &[register, opposite]);
                self.text
                    .instruction(&["add.u32"], &[register, register, Operand::Number(1)]);
                register
            }
            None => self.operand(operand),
        });
        let name = if op == BinaryOp::Min { "min." } else { "max." };
        let target = Operand::Register(self.register(value));
        self.text
            .instruction(&[name, type_name(scalar)], &[target, operands[0], operands[1]]);
    }

    /// The operand of an integer negation of one word.
    fn negated(&self, value: Value) -> Option<Value> {
        let is_word = |scalar: Scalar| scalar.is_integer() && scalar.size() < 8;
        match self.function.op(value) {
            Op::Unary {
                op: UnaryOp::Neg,
                scalar,
                a,
            } if is_word(scalar) => Some(a),
            Op::Binary {
                op: BinaryOp::Sub,
                scalar,
                a,
                b,
            } if is_word(scalar) && self.function.as_constant(a) == Some(0) => Some(b),
            _ => None,
        }
    }
}
