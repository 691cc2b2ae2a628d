//! Float operations without hardware support: rounding with ties away from zero, copysign, and the
//! exact remainder.

use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use super::Builder;
use crate::ssa::{Edge, Terminator, Ty, Value};

/// A float format as its bits lie in an integer register.
struct Format {
    float: Scalar,
    word: Scalar,
    ty: Ty,
    /// Explicit bits of the significand.
    fraction: u64,
    /// Bits of the sign.
    sign: u64,
    /// Bits of infinity.
    infinity: u64,
}

impl Format {
    fn of(scalar: Scalar) -> Format {
        match scalar {
            Scalar::F16 => Format {
                float: scalar,
                word: Scalar::U32,
                ty: Ty::I32,
                fraction: 10,
                sign: 1 << 15,
                infinity: 0x7c00,
            },
            Scalar::BF16 => Format {
                float: scalar,
                word: Scalar::U32,
                ty: Ty::I32,
                fraction: 7,
                sign: 1 << 15,
                infinity: 0x7f80,
            },
            Scalar::F32 => Format {
                float: scalar,
                word: Scalar::U32,
                ty: Ty::I32,
                fraction: 23,
                sign: 1 << 31,
                infinity: 0x7f80_0000,
            },
            _ => Format {
                float: scalar,
                word: Scalar::U64,
                ty: Ty::I64,
                fraction: 52,
                sign: 1 << 63,
                infinity: 0x7ff0_0000_0000_0000,
            },
        }
    }
}

impl Builder<'_, '_> {
    /// An operation on two floats.
    pub(super) fn binary_float(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        match op {
            BinaryOp::Copysign => self.copysign(scalar, a, b),
            BinaryOp::Rem => self.remainder(scalar, a, b),
            BinaryOp::SameBits => {
                let format = Format::of(scalar);
                let nans = self.are_nans(scalar, a, b);
                let (a, b) = (self.bits(a, format.ty), self.bits(b, format.ty));
                let same = self.binary_op(BinaryOp::Eq, format.word, a, b);
                self.binary_op(BinaryOp::Or, Scalar::Bool, same, nans)
            }
            _ => self.binary_op(op, scalar, a, b),
        }
    }

    /// An operation on two floats of 16 bits: in `f32` if there is no instruction for it. The
    /// result is rounded once; see [`semantics`](vyre_ir::semantics).
    pub(super) fn binary_half(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        match op {
            BinaryOp::Copysign | BinaryOp::SameBits => return self.binary_float(op, scalar, a, b),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if scalar == Scalar::F16 => {
                return self.binary_op(op, scalar, a, b);
            }
            _ if op.is_comparison() && scalar == Scalar::F16 => return self.binary_op(op, scalar, a, b),
            _ => {}
        }
        let [a, b] = [self.cast(a, scalar, Scalar::F32), self.cast(b, scalar, Scalar::F32)];
        let wide = self.binary_float(op, Scalar::F32, a, b);
        match op.is_comparison() {
            true => wide,
            false => self.cast(wide, Scalar::F32, scalar),
        }
    }

    /// True if both floats are NaNs.
    pub(super) fn are_nans(&mut self, scalar: Scalar, a: Value, b: Value) -> Value {
        let [a, b] = [a, b].map(|value| self.binary(BinaryOp::Ne, scalar, value, value));
        self.binary_op(BinaryOp::And, Scalar::Bool, a, b)
    }

    /// The magnitude of `a` with the sign of `b`, which is positive for a NaN.
    fn copysign(&mut self, scalar: Scalar, a: Value, b: Value) -> Value {
        let format = Format::of(scalar);
        let nan = self.binary(BinaryOp::Ne, scalar, b, b);
        let (bits, positive) = (self.bits(b, format.ty), self.constant(format.ty, 0));
        let bits = self.select(nan, positive, bits);
        self.with_sign(&format, a, bits)
    }

    /// The magnitude of `a` with the sign bit of `b`, which is an integer: `a ^ (a ^ b) & sign` has one constant, so that
    /// ptxas makes it one instruction.
    fn with_sign(&mut self, format: &Format, a: Value, b: Value) -> Value {
        let is_constant = self.function.as_constant(a).is_some();
        let a = self.bits(a, format.ty);
        let whole = if is_constant {
            let magnitude = self.binary_with(BinaryOp::And, format.word, a, !format.sign);
            let sign = self.binary_with(BinaryOp::And, format.word, b, format.sign);
            self.binary_op(BinaryOp::Or, format.word, magnitude, sign)
        } else {
            let differing = self.binary_op(BinaryOp::Xor, format.word, a, b);
            let sign = self.binary_with(BinaryOp::And, format.word, differing, format.sign);
            self.binary_op(BinaryOp::Xor, format.word, a, sign)
        };
        self.bits(whole, Ty::of(format.float))
    }

    /// Rounds to nearest, ties away from zero: away from the truncated value if the fraction is at
    /// least a half. The difference is exact, and zero without a fraction.
    pub(super) fn round(&mut self, scalar: Scalar, a: Value) -> Value {
        let (one, half) = match scalar {
            Scalar::F32 => (u64::from(1f32.to_bits()), u64::from(0.5f32.to_bits())),
            _ => (1f64.to_bits(), 0.5f64.to_bits()),
        };
        let whole = self.unary_op(UnaryOp::Trunc, scalar, a);
        let rest = self.binary_op(BinaryOp::Sub, scalar, a, whole);
        let rest = self.unary_op(UnaryOp::Abs, scalar, rest);
        let away = self.binary_with(BinaryOp::Ge, scalar, rest, half);
        let (one, zero) = (self.constant(Ty::of(scalar), one), self.constant(Ty::of(scalar), 0));
        let step = self.select(away, one, zero);
        let format = Format::of(scalar);
        let bits = self.bits(a, format.ty);
        let step = self.with_sign(&format, step, bits);
        // Adding a zero of the sign of `a` keeps the sign of a truncated zero. A NaN stays one, whatever its sign.
        self.binary_op(BinaryOp::Add, scalar, whole, step)
    }

    /// The exact remainder with the sign of the dividend, as C's `fmod`.
    ///
    /// With `|x| = m * 2^e` and `|y| = n * 2^f` in integers, `e >= f` if `|x| >= |y|`, and the
    /// remainder is `(m * 2^(e-f) mod n) * 2^f`. The shift is done in steps of as many bits as a
    /// 64-bit integer has above the significand.
    fn remainder(&mut self, scalar: Scalar, x: Value, y: Value) -> Value {
        let format = &Format::of(scalar);
        let float = Ty::of(scalar);
        let (x_bits, y_bits) = (self.bits(x, format.ty), self.bits(y, format.ty));
        let a = self.binary_with(BinaryOp::And, format.word, x_bits, !format.sign);
        let b = self.binary_with(BinaryOp::And, format.word, y_bits, !format.sign);

        // Infinity over anything, anything over zero, and NaN give NaN; a smaller dividend, also
        // one below infinity, is its own remainder.
        let huge = self.binary_with(BinaryOp::Ge, format.word, a, format.infinity);
        let nan = self.binary_with(BinaryOp::Gt, format.word, b, format.infinity);
        let zero = self.binary_with(BinaryOp::Eq, format.word, b, 0);
        let invalid = self.binary_op(BinaryOp::Or, Scalar::Bool, huge, nan);
        let invalid = self.binary_op(BinaryOp::Or, Scalar::Bool, invalid, zero);
        let small = self.binary_op(BinaryOp::Lt, format.word, a, b);
        let easy = self.binary_op(BinaryOp::Or, Scalar::Bool, invalid, small);
        let quiet = format.infinity | 1 << (format.fraction - 1);
        let quiet = self.constant(float, quiet);
        let simple = self.select(invalid, quiet, x);

        let join = self.function.add_block();
        let result = self.function.add_parameter(join, float, self.span);
        let long = self.function.add_block();
        self.function.blocks[self.block].end = Terminator::Branch {
            condition: easy,
            then: Edge {
                block: join,
                arguments: vec![simple],
            },
            otherwise: Edge::to(long),
        };
        self.block = long;
        let (m, e) = self.significand(format, a);
        let (n, f) = self.significand(format, b);
        let shift = self.binary_op(BinaryOp::Sub, Scalar::U32, e, f);
        let first = self.binary_op(BinaryOp::Rem, Scalar::U64, m, n);
        let rest = self.reduce(first, n, shift, 63 - format.fraction);
        let rest = match format.word {
            Scalar::U32 => self.convert(Scalar::U64, Scalar::U32, rest),
            _ => rest,
        };
        let magnitude = self.assemble(format, rest, f);
        let sign = self.binary_with(BinaryOp::And, format.word, x_bits, format.sign);
        let whole = self.binary_op(BinaryOp::Or, format.word, magnitude, sign);
        let whole = self.bits(whole, float);
        self.jump_into(join, vec![whole]);
        result
    }

    /// The significand of a finite magnitude as a `u64`, and its exponent, 1 for the subnormal.
    fn significand(&mut self, format: &Format, a: Value) -> (Value, Value) {
        let exponent = self.binary_with(BinaryOp::Shr, format.word, a, format.fraction);
        let fraction = self.binary_with(BinaryOp::And, format.word, a, (1 << format.fraction) - 1);
        let normal = self.binary_with(BinaryOp::Ne, format.word, exponent, 0);
        let with_one = self.binary_with(BinaryOp::Or, format.word, fraction, 1 << format.fraction);
        let significand = self.select(normal, with_one, fraction);
        let exponent = self.binary_with(BinaryOp::Max, format.word, exponent, 1);
        match format.word {
            Scalar::U32 => (self.convert(Scalar::U32, Scalar::U64, significand), exponent),
            _ => (significand, self.convert(Scalar::U64, Scalar::U32, exponent)),
        }
    }

    /// `rest * 2^shift mod n`, `step` bits at a time.
    fn reduce(&mut self, rest: Value, n: Value, shift: Value, step: u64) -> Value {
        let header = self.function.add_block();
        let rest_here = self.function.add_parameter(header, Ty::I64, self.span);
        let shift_here = self.function.add_parameter(header, Ty::I32, self.span);
        self.jump_into(header, vec![rest, shift]);
        let more = self.binary_with(BinaryOp::Ne, Scalar::U32, shift_here, 0);
        let (body, exit) = self.branch(more);
        self.block = body;
        let bits = self.binary_with(BinaryOp::Min, Scalar::U32, shift_here, step);
        let shifted = self.binary_op(BinaryOp::Shl, Scalar::U64, rest_here, bits);
        let next = self.binary_op(BinaryOp::Rem, Scalar::U64, shifted, n);
        let left = self.binary_op(BinaryOp::Sub, Scalar::U32, shift_here, bits);
        self.function.blocks[self.block].end = Terminator::Jump(Edge {
            block: header,
            arguments: vec![next, left],
        });
        self.block = exit;
        rest_here
    }

    /// The bits of `rest * 2^exponent`, where `rest` is a significand not yet normalised and
    /// `exponent` is at least 1. A leading one at its normal position carries into the exponent's
    /// field, hence the field is one less.
    fn assemble(&mut self, format: &Format, rest: Value, exponent: Value) -> Value {
        let zeros = self.unary(UnaryOp::LeadingZeros, format.word, rest);
        let unused = u64::from(format.word.bits()) - 1 - format.fraction;
        let wanted = self.binary_with(BinaryOp::Sub, format.word, zeros, unused);
        let wanted = match format.word {
            Scalar::U64 => self.convert(Scalar::U64, Scalar::U32, wanted),
            _ => wanted,
        };
        let available = self.binary_with(BinaryOp::Sub, Scalar::U32, exponent, 1);
        let shift = self.binary_op(BinaryOp::Min, Scalar::U32, wanted, available);
        let significand = self.binary_op(BinaryOp::Shl, format.word, rest, shift);
        let field = self.binary_op(BinaryOp::Sub, Scalar::U32, available, shift);
        let field = match format.word {
            Scalar::U64 => self.convert(Scalar::U32, Scalar::U64, field),
            _ => field,
        };
        let field = self.binary_with(BinaryOp::Shl, format.word, field, format.fraction);
        let whole = self.binary_op(BinaryOp::Add, format.word, field, significand);
        let none = self.binary_with(BinaryOp::Eq, format.word, rest, 0);
        let zero = self.constant(format.ty, 0);
        debug_assert!(format.float.is_float());
        self.select(none, zero, whole)
    }
}
