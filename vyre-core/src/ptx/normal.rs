//! Reciprocals and roots of numbers in a known range, without the branch of `rcp.rn` and `sqrt.rn`.
//!
//! An approximation of the hardware is refined until its error no longer shows, so that the result is the exact one
//! rounded to nearest, as on the CPU. `.ftz` spares the instructions that would scale subnormal numbers.

use super::entry::Writer;
use super::text::{Class, Operand};
use crate::ssa::Value;

const HALF: Operand<'static> = Operand::Text("0f3F000000");
const ONE: Operand<'static> = Operand::Text("0f3F800000");
const ONE_AND_A_HALF: Operand<'static> = Operand::Text("0f3FC00000");

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

    /// 1 / sqrt(x) by a step of Householder's method of the third order. The error, (1 - x y^2) / 2, is computed with an
    /// exact product: the nearest number results from every approximation within 2^-22.9, the bound of the instruction.
    pub(super) fn normal_rsqrt(&mut self, value: Value, x: Value) {
        let x = self.operand(x);
        let [y, half, product, minus, cut, less, most] = self.text.operands(Class::Float);
        let [error, more, step] = self.text.operands(Class::Float);
        let target = Operand::Register(self.register(value));
        let text = &mut self.text;
        text.instruction(&["rsqrt.approx.ftz.f32"], &[y, x]);
        text.instruction(&["mul.rn.f32"], &[half, y, HALF]);
        text.instruction(&["mul.rn.f32"], &[product, x, y]);
        text.instruction(&["neg.f32"], &[minus, product]);
        text.instruction(&["fma.rn.f32"], &[cut, x, y, minus]);
        text.instruction(&["neg.f32"], &[less, cut]);
        text.instruction(&["fma.rn.f32"], &[most, minus, half, HALF]);
        text.instruction(&["fma.rn.f32"], &[error, less, half, most]);
        text.instruction(&["mul.rn.f32"], &[more, error, ONE_AND_A_HALF]);
        text.instruction(&["fma.rn.f32"], &[step, error, more, error]);
        text.instruction(&["fma.rn.f32"], &[target, y, step, y]);
    }
}
