//! Values of half precision, and their rounding.

use vyre::{bf16, f16};

use crate::values::Value;

macro_rules! halves {
    ($($t:ident $fraction:literal)*) => { $(
        impl Value for $t {
            const NAME: &'static str = stringify!($t);
            const ZERO: Self = $t::ZERO;

            fn edge_values() -> Vec<Self> {
                let (one, normal) = ($t::ONE.to_bits(), 1 << $fraction);
                let infinity = $t::INFINITY.to_bits();
                let positive = [
                    0, 1, 3, normal - 1, normal, normal + 1,
                    // About a half, one and what has no fraction.
                    one - normal - 1, one - normal, one - 1, one, one + 1, one + normal / 2, one + normal,
                    one + normal * $fraction - 1, one + normal * $fraction, one + normal * $fraction + 1,
                    $t::from_f32(2.5).to_bits(), $t::from_f32(3.5).to_bits(), $t::from_f32(0.1).to_bits(),
                    one / 2, one / 2 + 1, infinity - normal, infinity - 1, infinity,
                ];
                let mut values = Vec::new();
                for bits in positive {
                    values.extend([$t::from_bits(bits), $t::from_bits(bits | 0x8000)]);
                }
                values.extend([$t::NAN, -$t::NAN, $t::from_bits(infinity + 3)]);
                values
            }

            /// Any bits at all in every other value, and values about one in the rest.
            fn from_random(bits: u64) -> Self {
                let any = $t::from_bits((bits >> 8) as u16);
                let near = 0x3f80_0000u32.wrapping_add_signed((bits >> 8) as i32 >> 6) | (bits >> 63 << 31) as u32;
                let near = $t::from_f32(f32::from_bits(near));
                if bits & 1 == 0 { any } else { near }
            }

            fn is_small_float(self) -> bool {
                self != $t::ZERO && self.to_f32().abs() < ($t::MIN_POSITIVE / $t::EPSILON).to_f32()
            }

            fn bits(self) -> u64 {
                if self.is_nan() { u64::MAX } else { u64::from(self.to_bits()) }
            }
        }

        impl Half for $t {
            const END: f64 = 2.0 * (1u128 << ($t::MAX_EXP - 1)) as f64;
            const LARGEST: u16 = $t::MAX.to_bits();

            fn of(bits: u16) -> (Self, f64) {
                let value = $t::from_bits(bits);
                (value, value.to_f64())
            }
        }
    )* };
}
halves! { f16 10 bf16 7 }

/// A float of 16 bits.
pub trait Half: Value {
    /// The number after the largest, with an unbounded exponent.
    const END: f64;
    /// The bits of the largest.
    const LARGEST: u16;

    /// The value with these bits, and its number.
    fn of(bits: u16) -> (Self, f64);
}

/// Rounds `sum + rest` to nearest, ties to even. `rest` is less than the last bit of the sum.
#[must_use]
pub fn nearest<T: Half>(sum: f64, rest: f64) -> T {
    if sum.is_nan() {
        return T::of(0x7fff).0;
    }
    let (size, rest) = (sum.abs(), if sum.is_sign_negative() { -rest } else { rest });
    // The numbers on both sides, by bisection: bits in order are numbers in order.
    let number = |bits: u16| if bits > T::LARGEST { T::END } else { T::of(bits).1 };
    let (mut below, mut above) = (0, T::LARGEST + 1);
    while above - below > 1 {
        let middle = (below + above) / 2;
        match number(middle) <= size {
            true => below = middle,
            false => above = middle,
        }
    }
    // Differences of such close numbers are exact.
    let (down, up) = (size - number(below), number(above) - size);
    let rises = up < down || up == down && (rest > 0.0 || rest == 0.0 && below % 2 == 1);
    let bits = if rises || size >= T::END { above } else { below };
    T::of(if sum.is_sign_negative() { bits | 0x8000 } else { bits }).0
}

/// `a * b + c`, rounded once.
#[must_use]
pub fn fused<T: Half + Into<f64>>(a: T, b: T, c: T) -> T {
    let (product, c) = (a.into() * b.into(), c.into());
    let sum = product + c;
    let part = sum - product;
    let rest = (product - (sum - part)) + (c - part);
    nearest(sum, if rest.is_finite() { rest } else { 0.0 })
}
