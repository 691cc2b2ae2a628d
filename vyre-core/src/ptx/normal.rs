//! Reciprocals and roots of normal numbers without branches, where `rcp.rn` and `sqrt.rn` have one, and 1 / sqrt(x), for
//! which PTX has no rounded instruction.
//!
//! An approximation of the hardware is refined until its error no longer shows, so that the result is the exact one
//! rounded to nearest, as on the CPU. In a known range `.ftz` spares the instructions that would scale subnormal numbers.

use super::entry::Writer;
use super::text::{Class, Operand};
use crate::ssa::Value;

const HALF: Operand<'static> = Operand::Text("0f3F000000");
const ONE: Operand<'static> = Operand::Text("0f3F800000");
/// 13/32.
const CUBIC: Operand<'static> = Operand::Text("0f3ED00000");

impl Writer<'_> {
    /// 1 / x by a step of Newton's method, as `ptxas` expands `rcp.rn` for all targets.
    pub(super) fn normal_recip(&mut self, value: Value, x: Value) {
        let x = self.operand(x);
        let [y, minus, error] = self.text.operands(Class::Float);
        let target = Operand::Register(self.register(value));
        let text = &mut self.text;
        text.instruction(&["rcp.approx.ftz.f32"], &[y, x]);
        text.instruction(&["neg.f32"], &[minus, x]);
        text.instruction(&["fma.rn.f32"], &[error, minus, y, ONE]);
        text.instruction(&["fma.rn.f32"], &[target, y, error, y]);
    }

    /// sqrt(x) by a step of Newton's method, as `ptxas` expands `sqrt.rn` for all targets.
    pub(super) fn normal_sqrt(&mut self, value: Value, x: Value) {
        let x = self.operand(x);
        let [y, root, minus, half, rest] = self.text.operands(Class::Float);
        let target = Operand::Register(self.register(value));
        let text = &mut self.text;
        text.instruction(&["rsqrt.approx.ftz.f32"], &[y, x]);
        text.instruction(&["mul.rn.f32"], &[root, x, y]);
        text.instruction(&["mul.rn.f32"], &[half, y, HALF]);
        text.instruction(&["neg.f32"], &[minus, root]);
        text.instruction(&["fma.rn.f32"], &[rest, minus, root, x]);
        text.instruction(&["fma.rn.f32"], &[target, rest, half, root]);
    }

    /// 1 / sqrt(x) by a step of Householder's method of the third order. The error, 1 - x y^2, is computed with an exact
    /// product: the nearest number results from every approximation within 2^-22.9, the bound of the instruction. With
    /// 3/8 instead of 13/32 it does so but for one mantissa.
    ///
    /// Where x is no positive normal number, `.ftz` makes y zero, infinite or a NaN, and the error a NaN.
    pub(super) fn normal_rsqrt(&mut self, value: Value, x: Value) {
        let x = self.operand(x);
        let [y, product, minus, cut, less, most] = self.text.operands(Class::Float);
        let [error, part, factor] = self.text.operands(Class::Float);
        let target = Operand::Register(self.register(value));
        let text = &mut self.text;
        text.instruction(&["rsqrt.approx.ftz.f32"], &[y, x]);
        text.instruction(&["mul.rn.f32"], &[product, x, y]);
        text.instruction(&["neg.f32"], &[minus, product]);
        text.instruction(&["fma.rn.f32"], &[cut, x, y, minus]);
        text.instruction(&["neg.f32"], &[less, cut]);
        text.instruction(&["fma.rn.f32"], &[most, minus, y, ONE]);
        text.instruction(&["fma.rn.f32"], &[error, less, y, most]);
        text.instruction(&["mul.rn.f32"], &[part, y, error]);
        text.instruction(&["fma.rn.f32"], &[factor, error, CUBIC, HALF]);
        text.instruction(&["fma.rn.f32"], &[target, part, factor, y]);
    }
}
