//! Half precision: floats of 16 bits, computed in `f32`.
//!
//! A sum, difference, product, quotient or square root computed in `f32` and then rounded equals
//! the result rounded once, because 24 bits of precision are at least twice those of either type
//! plus two (Figueroa, "When is double rounding innocuous?", 1995). That does not hold for a fused
//! multiply-add, where the bits that decide a tie may be cut off. It is computed in `f64` and
//! *rounded to odd*: the last bit of an inexact result is set, so that no later rounding mistakes
//! it for exact or for a tie (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums",
//! 2008).

use super::native::Native;
use crate::scalar::{Constant, Scalar};

/// A float of 16 bits.
pub trait Half: Native {
    /// The same number as an `f32`.
    fn widen(self) -> f32;

    /// Rounds to nearest, ties to even. A NaN stays one and keeps its sign.
    fn narrow(value: f32) -> Self;

    /// As [`narrow`](Half::narrow), from `f64`, rounded once.
    #[inline]
    fn narrow_wide(value: f64) -> Self {
        Self::narrow(odd_f32(value))
    }
}

/// IEEE 754 binary16.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F16(u16);

/// The upper half of a binary32.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct BF16(u16);

/// Implementation of both types.
macro_rules! halves {
    ($($half:ident $nan:literal,)*) => { $(
        impl $half {
            /// The value of these bits.
            #[inline(always)]
            pub const fn from_bits(bits: u16) -> Self {
                $half(bits)
            }

            /// The bits, also of a NaN.
            #[inline(always)]
            pub const fn to_bits(self) -> u16 {
                self.0
            }
        }

        impl Native for $half {
            const SCALAR: Scalar = Scalar::$half;

            #[inline(always)]
            fn constant(self) -> Constant {
                Constant::new(Scalar::$half, u64::from(self.0))
            }

            #[inline(always)]
            fn of(constant: Constant) -> Self {
                $half(constant.bits as u16)
            }
        }

        impl super::float::Float for $half {
            type Bits = u16;

            #[inline(always)]
            fn canonical_bits(self) -> u16 {
                if self.widen().is_nan() { $nan } else { self.0 }
            }
        }

        impl super::float::MulAdd for $half {
            #[inline]
            fn apply(a: Self, b: Self, c: Self) -> Self {
                Self::narrow_wide(odd_mul_add(a.widen(), b.widen(), c.widen()))
            }
        }
    )* };
}
halves! { F16 0x7e00, BF16 0x7fc0, }

impl Half for F16 {
    #[inline]
    fn widen(self) -> f32 {
        let sign = u32::from(self.0 & 0x8000) << 16;
        let size = u32::from(self.0 & 0x7fff);
        let bits = match size {
            // The exponents differ by 112.
            0x400..0x7c00 => (size << 13) + (112 << 23),
            0x7c00.. => 0x7f80_0000 | size << 13,
            // A multiple of the smallest subnormal, 2^-24.
            _ => (size as f32 * f32::from_bits(0x3380_0000)).to_bits(),
        };
        f32::from_bits(sign | bits)
    }

    #[inline]
    fn narrow(value: f32) -> Self {
        let bits = value.to_bits();
        let sign = (bits >> 16 & 0x8000) as u16;
        let size = bits & 0x7fff_ffff;
        F16(sign
            | match size {
                // Below the smallest normal number, 2^-14. The sum is rounded to a multiple of
                // 2^-24.
                0..0x3880_0000 => ((f32::from_bits(size) + 0.5).to_bits() - 0x3f00_0000) as u16,
                // A carry out of the fraction increments the exponent, up to infinity.
                0x3880_0000..0x4780_0000 => (nearest(size - (112 << 23), 13) >> 13) as u16,
                0x4780_0000..=0x7f80_0000 => 0x7c00,
                _ => 0x7e00,
            })
    }
}

impl Half for BF16 {
    #[inline]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }

    #[inline]
    fn narrow(value: f32) -> Self {
        let bits = value.to_bits();
        if value.is_nan() {
            BF16((bits >> 16 & 0x8000) as u16 | 0x7fc0)
        } else {
            BF16((nearest(bits, 16) >> 16) as u16)
        }
    }
}

/// Rounds to nearest, ties to even, at bit `cut`: the bits above are the result.
#[inline(always)]
const fn nearest(bits: u32, cut: u32) -> u32 {
    bits + (1 << (cut - 1)) - 1 + (bits >> cut & 1)
}

/// `value` as an `f32`, rounded to odd.
#[inline]
fn odd_f32(value: f64) -> f32 {
    let near = value as f32;
    let (bits, back) = (near.to_bits(), f64::from(near));
    if value.is_nan() || back == value || bits & 1 == 1 {
        return near;
    }
    // The odd one of the two neighbours of `value` is on its other side.
    f32::from_bits(if back.abs() > value.abs() { bits - 1 } else { bits + 1 })
}

/// `a * b + c`, rounded to odd. The product of two numbers of at most 11 bits is exact.
#[inline]
fn odd_mul_add(a: f32, b: f32, c: f32) -> f64 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    // The rounding error of the sum, exactly (Knuth).
    let part = sum - product;
    let rest = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    if bits & 1 == 1 || rest == 0.0 || !sum.is_finite() {
        return sum;
    }
    // Away from zero if the error has the sign of the sum.
    f64::from_bits(if (rest > 0.0) == (sum > 0.0) {
        bits + 1
    } else {
        bits - 1
    })
}
