//! Casts and bit casts.

use vyre_ir::ir::{BinaryOp, Scalar};

use super::Builder;
use super::scalar::{is_narrow, machine};
use crate::ssa::{Ty, Value};

impl Builder<'_, '_> {
    /// `a as to`.
    pub(super) fn cast(&mut self, a: Value, from: Scalar, to: Scalar) -> Value {
        match (from, to) {
            _ if from == to => a,
            (Scalar::Bool, _) => {
                let (one, zero) = (self.constant(Ty::of(to), 1), self.constant(Ty::of(to), 0));
                self.select(a, one, zero)
            }
            _ if from.is_half() && !(to == Scalar::F32 || from == Scalar::F16 && to == Scalar::F64) => {
                let wide = self.convert(from, Scalar::F32, a);
                self.cast(wide, Scalar::F32, to)
            }
            _ if to.is_half() && from.is_integer() => {
                let wide = self.cast(a, from, Scalar::F32);
                self.convert(Scalar::F32, to, wide)
            }
            _ if from.is_integer() && to.is_integer() => self.cast_integer(a, from, to),
            _ if from.is_float() && is_narrow(to) => self.cast_narrow(a, from, to),
            _ => self.convert(machine(from), to, a),
        }
    }

    fn cast_integer(&mut self, a: Value, from: Scalar, to: Scalar) -> Value {
        let word = match (Ty::of(from), Ty::of(to)) {
            (Ty::I32, Ty::I64) => return self.convert(machine(from), Scalar::U64, a),
            (Ty::I64, Ty::I32) => self.convert(Scalar::U64, Scalar::U32, a),
            _ => a,
        };
        // Every value of the old type is one of the new type, with the same register contents.
        let holds = match (from.is_signed(), to.is_signed()) {
            (true, false) => false,
            (false, true) => from.bits() < to.bits(),
            _ => from.bits() <= to.bits(),
        };
        if holds { word } else { self.narrow(word, to) }
    }

    /// A float as an integer of 8 or 16 bits: saturates at 32 bits first, then at the narrow type's
    /// limits.
    fn cast_narrow(&mut self, a: Value, from: Scalar, to: Scalar) -> Value {
        let word = machine(to);
        let whole = self.convert(from, word, a);
        let (least, greatest) = if to.is_signed() {
            (u64::MAX << (to.bits() - 1), (1 << (to.bits() - 1)) - 1)
        } else {
            (0, (1 << to.bits()) - 1)
        };
        let capped = self.binary_with(BinaryOp::Min, word, whole, greatest);
        if to.is_signed() {
            self.binary_with(BinaryOp::Max, word, capped, least)
        } else {
            capped
        }
    }

    /// The same bits as another scalar of the same width; a NaN becomes the canonical one on its
    /// way to an integer.
    pub(super) fn bitcast(&mut self, a: Value, from: Scalar, to: Scalar) -> Value {
        match (from.is_float(), to.is_float()) {
            (false, true) => self.bits(a, Ty::of(to)),
            (true, false) => {
                let canonical = match from {
                    Scalar::F16 => 0x7e00,
                    Scalar::BF16 => 0x7fc0,
                    Scalar::F32 => 0x7fc0_0000,
                    _ => 0x7ff8_0000_0000_0000,
                };
                let bits = self.bits(a, Ty::of(to));
                // The register of a signed 16-bit integer is sign-extended.
                let bits = if from.is_half() { self.narrow(bits, to) } else { bits };
                let nan = self.binary(BinaryOp::Ne, from, a, a);
                let canonical = self.constant(Ty::of(to), canonical);
                self.select(nan, canonical, bits)
            }
            // The bits of a NaN are visible in the other type, as in an integer.
            (true, true) if from != to => {
                let bits = self.bitcast(a, from, Scalar::U16);
                self.bits(bits, Ty::of(to))
            }
            _ => self.cast(a, from, to),
        }
    }
}
