//! Operations on floats that have no row in the table, because the IR has dedicated expressions for
//! them.

use super::half::{BF16, F16};
use super::native::Native;
use crate::scalar::{Constant, Scalar};

/// The floats.
pub trait Float: Native {
    /// The unsigned integer of the same width.
    type Bits: Native;

    /// The bits, with every NaN replaced by the canonical one.
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

/// The bits of a float. Every NaN yields the canonical one: `0x7e00`, `0x7fc0`, `0x7fc00000` or
/// `0x7ff8000000000000`.
#[inline(always)]
pub fn to_bits<T: Float>(value: T) -> T::Bits {
    value.canonical_bits()
}

impl Constant {
    /// The constant with its NaN, if it is one, made the canonical one.
    #[inline(always)]
    pub fn canonical(self) -> Constant {
        let bits = match self.scalar {
            Scalar::F16 => to_bits(F16::of(self)).into(),
            Scalar::BF16 => to_bits(BF16::of(self)).into(),
            Scalar::F32 => to_bits(f32::of(self)).into(),
            Scalar::F64 => to_bits(f64::of(self)),
            _ => return self,
        };
        Constant { bits, ..self }
    }
}

/// The types of a fused multiply-add.
pub trait MulAdd: Copy {
    /// The operation.
    fn apply(a: Self, b: Self, c: Self) -> Self;
}

/// `a * b + c`, rounded once, on machines with and without an instruction for it.
#[inline(always)]
pub fn mul_add<T: MulAdd>(a: T, b: T, c: T) -> T {
    T::apply(a, b, c)
}
