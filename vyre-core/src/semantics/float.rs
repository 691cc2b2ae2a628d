//! Operations on floats that are expressions of their own in the IR.

use super::half::{BF16, F16};
use super::native::Native;
use crate::ir::{Constant, Scalar};

/// The floats.
pub trait Float: Native {
    /// The unsigned integer of the same width.
    type Bits: Native;

    /// The bits, a NaN as the canonical one.
    fn canonical_bits(self) -> Self::Bits;
}

macro_rules! float {
    ($float:ty, $bits:ty, $nan:literal) => {
        impl Float for $float {
            type Bits = $bits;

            #[inline(always)]
            fn canonical_bits(self) -> $bits {
                if self.is_nan() { $nan } else { self.to_bits() }
            }
        }

        impl MulAdd for $float {
            #[inline(always)]
            fn apply(a: Self, b: Self, c: Self) -> Self {
                a.mul_add(b, c)
            }
        }
    };
}

float!(f32, u32, 0x7fc0_0000);
float!(f64, u64, 0x7ff8_0000_0000_0000);

/// The bits of a float, of a NaN those of the canonical one: `0x7e00`, `0x7fc0`,
/// `0x7fc00000` or `0x7ff8000000000000`.
#[inline(always)]
pub fn to_bits<T: Float>(value: T) -> T::Bits {
    value.canonical_bits()
}

/// The types of [`ExprKind::MulAdd`](crate::ir::ExprKind::MulAdd), and constants of them.
pub trait MulAdd: Copy {
    /// The operation.
    fn apply(a: Self, b: Self, c: Self) -> Self;
}

/// `a * b + c`, rounded once, with or without an instruction for it.
#[inline(always)]
pub fn mul_add<T: MulAdd>(a: T, b: T, c: T) -> T {
    T::apply(a, b, c)
}

impl MulAdd for Constant {
    fn apply(a: Self, b: Self, c: Self) -> Self {
        let result = match a.scalar {
            Scalar::F16 => F16::apply(F16::of(a), F16::of(b), F16::of(c)).constant(),
            Scalar::BF16 => BF16::apply(BF16::of(a), BF16::of(b), BF16::of(c)).constant(),
            Scalar::F32 => f32::of(a).mul_add(f32::of(b), f32::of(c)).constant(),
            Scalar::F64 => f64::of(a).mul_add(f64::of(b), f64::of(c)).constant(),
            scalar => {
                debug_assert!(false, "mul_add is not defined on {}", scalar.name());
                a
            }
        };
        canonical(result)
    }
}

/// The constant with its NaN, if it is one, made the canonical one.
pub(super) fn canonical(constant: Constant) -> Constant {
    match constant.scalar {
        Scalar::F16 => Constant::new(Scalar::F16, u64::from(to_bits(F16::of(constant)))),
        Scalar::BF16 => Constant::new(Scalar::BF16, u64::from(to_bits(BF16::of(constant)))),
        Scalar::F32 => Constant::new(Scalar::F32, u64::from(to_bits(f32::of(constant)))),
        Scalar::F64 => Constant::new(Scalar::F64, to_bits(f64::of(constant))),
        _ => constant,
    }
}
