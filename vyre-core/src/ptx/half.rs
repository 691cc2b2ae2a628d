//! Conversions of floats of 16 bits, and the targets that have instructions for them.
//!
//! `f16` is supported by every GPU. `bf16` has instructions from sm_80 on. A fused multiply-add of
//! `bf16` needs them and raises the module's target; if no other operation requires that target,
//! rounding to `bf16` uses integer instructions.

use vyre_ir::ir::Scalar;
use vyre_ir::ir::needs::BF16_TARGET;

use super::entry::Writer;
use super::text::{Class, Operand, type_name};
use crate::ssa::Value;

impl Writer<'_> {
    /// Converts from or to a float of 16 bits.
    pub(super) fn convert_half(&mut self, value: Value, from: Scalar, to: Scalar, a: Value) {
        match (from, to) {
            (Scalar::BF16, _) => {
                let word = Operand::Register(self.text.register(Class::Word));
                let a = self.operand(a);
                self.text.instruction(&["cvt.u32.u16"], &[word, a]);
                self.text.instruction(&["shl.b32"], &[word, word, Operand::Number(16)]);
                let target = Operand::Register(self.register(value));
                self.text.instruction(&["mov.b32"], &[target, word]);
            }
            (_, Scalar::BF16) => {
                let a = self.operand(a);
                let single = if from == Scalar::F64 { self.rounded_to_odd(a) } else { a };
                self.round_to_bf16(value, single);
            }
            (Scalar::F16, _) => self.plain(&["cvt.", type_name(to), ".f16"], value, &[a]),
            _ => self.plain(&["cvt.rn.f16.", type_name(from)], value, &[a]),
        }
    }

    /// Converts an `f64` to `f32`, rounding to odd: rounding it again to fewer bits then gives the
    /// same result as rounding once.
    fn rounded_to_odd(&mut self, a: Operand<'static>) -> Operand<'static> {
        let single = Operand::Register(self.text.register(Class::Float));
        let back = Operand::Register(self.text.register(Class::FloatDouble));
        let [word, odd] = self.text.operands(Class::Word);
        let inexact = Operand::Register(self.text.register(Class::Predicate));
        self.text.instruction(&["cvt.rz.f32.f64"], &[single, a]);
        self.text.instruction(&["cvt.f64.f32"], &[back, single]);
        self.text.instruction(&["setp.neu.f64"], &[inexact, back, a]);
        self.text.instruction(&["mov.b32"], &[word, single]);
        self.text.instruction(&["or.b32"], &[odd, word, Operand::Number(1)]);
        self.text.instruction(&["selp.b32"], &[word, odd, word, inexact]);
        self.text.instruction(&["mov.b32"], &[single, word]);
        single
    }

    /// Rounds an `f32` to the nearest `bf16`, ties to even.
    fn round_to_bf16(&mut self, value: Value, single: Operand<'static>) {
        let target = Operand::Register(self.register(value));
        if self.plan.summary.needs.target >= BF16_TARGET {
            return self.text.instruction(&["cvt.rn.bf16.f32"], &[target, single]);
        }
        let [word, up] = self.text.operands(Class::Word);
        let number = Operand::Register(self.text.register(Class::Predicate));
        self.text.instruction(&["mov.b32"], &[word, single]);
        // Half a unit in the last place, less one if that place is 0.
        self.text
            .instruction(&["bfe.u32"], &[up, word, Operand::Number(16), Operand::Number(1)]);
        self.text.instruction(&["add.u32"], &[up, up, Operand::Number(0x7fff)]);
        self.text.instruction(&["add.u32"], &[word, word, up]);
        self.text.instruction(&["setp.num.f32"], &[number, single, single]);
        self.text
            .instruction(&["selp.b32"], &[word, word, Operand::Text("0x7FC00000"), number]);
        self.text.instruction(&["shr.u32"], &[word, word, Operand::Number(16)]);
        self.text.instruction(&["cvt.u16.u32"], &[target, word]);
    }
}
