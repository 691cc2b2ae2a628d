//! Operations on scalars.
//!
//! The meaning of an operation on a type is the function of the same name in [`crate::semantics`];
//! all back ends give bit-identical results, except for the approximations, whose names begin with
//! `Approx`.
//!
//! **NaNs.** The sign and payload of a NaN are unspecified: processors and compilers disagree about those of a computed
//! one. So no operation depends on them. Where a sign, bits or an order are read, every NaN is the canonical one, which
//! is positive and quiet.
//!
//! **Approximations** are those of a GPU's approximate unit, on `f32`. They are instructions of PTX
//! without `.ftz`, so subnormal numbers are kept. The bounds are NVIDIA's, or a little wider where an H200 was found to
//! exceed those. Other back ends compute them by [`crate::math`], within the same bounds.

use super::operations;
use crate::scalar::Scalar;

operations! {
    /// A unary operation whose result has the type of its operand.
    UnaryOp {
        /// `-x`: integers wrap (signed only); floats flip the sign; a NaN stays one.
        Neg = "neg",
        /// `!x`: every bit of an integer; `bool` inverts.
        Not = "not",
        /// Absolute value: a signed integer wraps at `MIN`; floats clear the sign; a NaN stays one.
        Abs = "abs",
        /// IEEE square root to nearest; floats.
        Sqrt = "sqrt",
        /// Round towards negative infinity; floats.
        Floor = "floor",
        /// Round towards positive infinity; floats.
        Ceil = "ceil",
        /// Round towards zero; floats.
        Trunc = "trunc",
        /// Round to nearest, ties away from zero; floats.
        Round = "round",
        /// Round to nearest, ties to even; floats.
        RoundTiesEven = "round_ties_even",
        /// Bits in reverse order; integers.
        ReverseBits = "reverse_bits",
        /// Bytes in reverse order; integers.
        SwapBytes = "swap_bytes",
        /// Number of one bits, in the operand's own type; integers.
        CountOnes = "count_ones",
        /// Number of leading zero bits, the width for 0, in the operand's own type; integers.
        LeadingZeros = "leading_zeros",
        /// Number of trailing zero bits, the width for 0, in the operand's own type; integers.
        TrailingZeros = "trailing_zeros",
        /// 2^x within 2^-22.5 of the result; `f32` (PTX `ex2.approx`).
        ApproxExp2 = "approx_exp2",
        /// log2 x within 2^-22, relative to the result outside of x from 1/2 to 2; `f32` (PTX `lg2.approx`).
        ApproxLog2 = "approx_log2",
        /// sin x within 2^-20 for |x| up to 2 pi, and 2^-14.7 up to 100 pi; `f32` (PTX `sin.approx`).
        ApproxSin = "approx_sin",
        /// cos x, as [`ApproxSin`](UnaryOp::ApproxSin); `f32` (PTX `cos.approx`).
        ApproxCos = "approx_cos",
        /// tanh x within 2^-11 of the result; `f32` (PTX `tanh.approx`, of compute capability 7.5).
        ApproxTanh = "approx_tanh",
        /// 1 / sqrt(x) within 2^-22.9 of the result; `f32` (PTX `rsqrt.approx`).
        ApproxRsqrt = "approx_rsqrt",
        /// 1 / x within 1 ulp; `f32` (PTX `rcp.approx`).
        ApproxRecip = "approx_recip",
        /// sqrt(x) within 2^-23 of the result; `f32` (PTX `sqrt.approx`).
        ApproxSqrt = "approx_sqrt",
        /// 1 / x to nearest for |x| from 2^-126 to 2^126, a number below 2^-125 for larger finite |x|, and any value
        /// elsewhere, also NaN; `f32`.
        ///
        /// Unlike `1.0 / x`, no branch leads to the rare arguments; functions that know their range use it. So it is
        /// with [`NormalSqrt`](UnaryOp::NormalSqrt).
        NormalRecip = "normal_recip",
        /// sqrt(x) to nearest for finite x from 2^-101, and any value elsewhere; `f32`.
        NormalSqrt = "normal_sqrt",
        /// 1 / sqrt(x) to nearest for positive normal numbers, and NaN elsewhere; `f32`.
        NormalRsqrt = "normal_rsqrt",
    }
}

operations! {
    /// A binary operation. Both operands have the same type, except for shifts and rotations, whose
    /// right operand is `u32`. Comparisons yield `bool`, the others the type of the left operand.
    BinaryOp {
        /// Sum: integers wrap; floats to nearest.
        Add = "add",
        /// Difference: integers wrap; floats to nearest.
        Sub = "sub",
        /// Product: integers wrap; floats to nearest.
        Mul = "mul",
        /// Quotient: integers truncate, and fault on a zero divisor and on `MIN / -1`; floats to nearest.
        Div = "div",
        /// Remainder with the sign of the dividend: integers fault as in `Div`; floats exactly (C's
        /// `fmod`).
        Rem = "rem",
        /// Bitwise and; integers and `bool`.
        And = "and",
        /// Bitwise or; integers and `bool`.
        Or = "or",
        /// Bitwise exclusive or; integers and `bool`.
        Xor = "xor",
        /// Left shift by the right operand modulo the width; integers.
        Shl = "shl",
        /// Right shift by the right operand modulo the width: arithmetic for signed, logical for unsigned integers.
        Shr = "shr",
        /// Rotate left by the right operand modulo the width; integers.
        RotateLeft = "rotate_left",
        /// Rotate right by the right operand modulo the width; integers.
        RotateRight = "rotate_right",
        /// High half of the double-width product; integers.
        MulHigh = "mul_high",
        /// Minimum; for floats, a number wins over a NaN, and -0 is less than +0.
        Min = "min",
        /// Maximum; for floats, a number wins over a NaN, and -0 is less than +0.
        Max = "max",
        /// Magnitude of the left with the sign of the right, which is positive for a NaN; floats.
        Copysign = "copysign",
        /// Equal; every type. A NaN equals nothing.
        Eq = "eq",
        /// Not equal; every type.
        Ne = "ne",
        /// Less; `false < true`; false if an operand is a NaN.
        Lt = "lt",
        /// Less or equal; false if an operand is a NaN.
        Le = "le",
        /// Greater; false if an operand is a NaN.
        Gt = "gt",
        /// Greater or equal; false if an operand is a NaN.
        Ge = "ge",
        /// Equality of the bits, as in compare-exchange: the two zeros differ in the sign, and a NaN
        /// equals every other.
        SameBits = "same_bits",
        /// Quotient within 2 ulp for a divisor from 2^-126 to 2^126 in magnitude; for a larger finite one it may be
        /// 0, or NaN of an infinite dividend. `f32` (PTX `div.approx`).
        ApproxDiv = "approx_div",
    }
}

impl UnaryOp {
    /// True if the operation is defined on this type.
    pub const fn accepts(self, scalar: Scalar) -> bool {
        match self {
            UnaryOp::Neg | UnaryOp::Abs => scalar.is_float() || scalar.is_signed(),
            UnaryOp::Not => scalar.is_integer() || matches!(scalar, Scalar::Bool),
            UnaryOp::Sqrt
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Trunc
            | UnaryOp::Round
            | UnaryOp::RoundTiesEven => scalar.is_float(),
            UnaryOp::ReverseBits
            | UnaryOp::SwapBytes
            | UnaryOp::CountOnes
            | UnaryOp::LeadingZeros
            | UnaryOp::TrailingZeros => scalar.is_integer(),
            UnaryOp::ApproxExp2
            | UnaryOp::ApproxLog2
            | UnaryOp::ApproxSin
            | UnaryOp::ApproxCos
            | UnaryOp::ApproxTanh
            | UnaryOp::ApproxRsqrt
            | UnaryOp::ApproxRecip
            | UnaryOp::ApproxSqrt
            | UnaryOp::NormalRecip
            | UnaryOp::NormalSqrt
            | UnaryOp::NormalRsqrt => matches!(scalar, Scalar::F32),
        }
    }

    /// True if back ends differ in the last bits of the result.
    pub const fn is_approximate(self) -> bool {
        matches!(
            self,
            UnaryOp::ApproxExp2
                | UnaryOp::ApproxLog2
                | UnaryOp::ApproxSin
                | UnaryOp::ApproxCos
                | UnaryOp::ApproxTanh
                | UnaryOp::ApproxRsqrt
                | UnaryOp::ApproxRecip
                | UnaryOp::ApproxSqrt
        )
    }

    /// True if the result is defined for operands in a range alone, and back ends differ elsewhere.
    pub const fn is_partial(self) -> bool {
        matches!(self, UnaryOp::NormalRecip | UnaryOp::NormalSqrt)
    }
}

impl BinaryOp {
    /// True if the operation is defined on a left operand of this type.
    pub const fn accepts(self, scalar: Scalar) -> bool {
        match self {
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Min
            | BinaryOp::Max => !matches!(scalar, Scalar::Bool),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !scalar.is_float(),
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RotateLeft | BinaryOp::RotateRight | BinaryOp::MulHigh => {
                scalar.is_integer()
            }
            BinaryOp::Copysign | BinaryOp::SameBits => scalar.is_float(),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => true,
            BinaryOp::ApproxDiv => matches!(scalar, Scalar::F32),
        }
    }

    /// True if back ends differ in the last bits of the result.
    pub const fn is_approximate(self) -> bool {
        matches!(self, BinaryOp::ApproxDiv)
    }

    /// True if the result is `bool`.
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge
                | BinaryOp::SameBits
        )
    }

    /// True if the right operand is `u32` for every type of the left one.
    pub const fn is_shift(self) -> bool {
        matches!(
            self,
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RotateLeft | BinaryOp::RotateRight
        )
    }

    /// True if the operation faults on some operands of this type.
    pub const fn may_fault(self, scalar: Scalar) -> bool {
        matches!(self, BinaryOp::Div | BinaryOp::Rem) && scalar.is_integer()
    }
}
