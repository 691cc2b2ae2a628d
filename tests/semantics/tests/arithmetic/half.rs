//! Half precision: every operation on pairs of edge and random values. Any NaN equals any other.

macro_rules! operations {
    ($($T:ident $nan:literal)*) => {$(
        mod $T {
            use vyre::{$T, Float};
            use vyre_semantics::agree;
            use vyre_semantics::halves::{fused, nearest};

            agree! {
                // The operators of the crate `half`.
                fn add(a: $T, b: $T) -> $T { a + b }
                fn sub(a: $T, b: $T) -> $T { a - b }
                fn mul(a: $T, b: $T) -> $T { a * b }
                fn div(a: $T, b: $T) -> $T { a / b }
                fn rem(a: $T, b: $T) -> $T { a % b }
                fn assigned(a: $T, b: $T) -> $T { let mut x = a; x += b; x *= b; x -= a; x /= b; x }
                fn mul_then_add(a: $T, b: $T, c: $T) -> $T { a * b + c }
                fn mul_add(a: $T, b: $T, c: $T) -> $T { a.mul_add(b, c) } as { fused(a, b, c) }
                fn mul_sub(a: $T, b: $T, c: $T) -> $T { a.mul_add(-b, c) } as { fused(a, -b, c) }
                fn sqrt(a: $T) -> $T { a.sqrt() } as { $T::from_f32(a.to_f32().sqrt()) }
                fn recip(a: $T) -> $T { a.recip() } as { $T::ONE / a }

                fn floor(a: $T) -> $T { a.floor() } as { $T::from_f32(a.to_f32().floor()) }
                fn ceil(a: $T) -> $T { a.ceil() } as { $T::from_f32(a.to_f32().ceil()) }
                fn trunc(a: $T) -> $T { a.trunc() } as { $T::from_f32(a.to_f32().trunc()) }
                fn round(a: $T) -> $T { a.round() } as { $T::from_f32(a.to_f32().round()) }
                fn round_ties_even(a: $T) -> $T { a.round_ties_even() } as { $T::from_f32(a.to_f32().round_ties_even()) }
                fn fract(a: $T) -> $T { a.fract() } as { $T::from_f32(a.to_f32().fract()) }

                fn eq(a: $T, b: $T) -> bool { a == b }
                fn ne(a: $T, b: $T) -> bool { a != b }
                fn lt(a: $T, b: $T) -> bool { a < b }
                fn le(a: $T, b: $T) -> bool { a <= b }
                fn gt(a: $T, b: $T) -> bool { a > b }
                fn ge(a: $T, b: $T) -> bool { a >= b }
                fn not_lt(a: $T, b: $T) -> bool { !(a < b) }

                // Before version 2.7 a NaN on the left wins in the crate.
                fn min(a: $T, b: $T) -> $T { a.min(b) } as {
                    if a == b && a.is_sign_negative() || b.is_nan() || a < b { a } else { b }
                }
                fn max(a: $T, b: $T) -> $T { a.max(b) } as {
                    if a == b && b.is_sign_negative() || b.is_nan() || a > b { a } else { b }
                }
                fn clamp(a: $T) -> $T { a.clamp(-$T::ONE, $T::PI) }

                fn neg(a: $T) -> $T { -a }
                fn abs(a: $T) -> $T { a.abs() } as { $T::from_bits(a.to_bits() & 0x7fff) }
                fn signum(a: $T) -> $T { a.signum() }
                fn is_nan(a: $T) -> bool { a.is_nan() }
                fn is_infinite(a: $T) -> bool { a.is_infinite() }
                fn is_finite(a: $T) -> bool { a.is_finite() }

                fn to_bits(a: $T) -> u16 { a.to_bits() } as { if a.is_nan() { $nan } else { a.to_bits() } }
                fn from_bits(a: u16) -> $T { $T::from_bits(a) }
                fn from_bits_of_to_bits(a: $T) -> $T { $T::from_bits(a.to_bits() ^ 1) } as {
                    $T::from_bits(if a.is_nan() { $nan ^ 1 } else { a.to_bits() ^ 1 })
                }
                fn from_cut_bits(a: u32) -> $T { $T::from_bits(a as u16) }
                fn signed_bits(a: $T) -> i16 { a.to_bits() as i16 >> 3 } as {
                    (if a.is_nan() { $nan } else { a.to_bits() }) as i16 >> 3
                }
                fn copied(a: $T) -> $T { let t = [a, -a]; t[0] }

                fn to_f32(a: $T) -> f32 { a.to_f32() }
                fn to_f64(a: $T) -> f64 { a.to_f64() }
                fn into_f32(a: $T) -> f32 { f32::from(a) }
                fn into_f64(a: $T) -> f64 { f64::from(a) }
                fn from_f32(a: f32) -> $T { $T::from_f32(a) }
                // The crate rounds twice, or not to nearest.
                fn from_f64(a: f64) -> $T { $T::from_f64(a) } as { nearest(a, 0.0) }
                fn from_u8(a: u8) -> $T { $T::from(a) }
                fn from_i8(a: i8) -> $T { $T::from(a) }
                fn there_and_back(a: $T) -> $T { $T::from_f32(a.to_f32()) }
                fn by_way_of_f64(a: $T, b: $T) -> $T { $T::from_f64(a.to_f64() * b.to_f64()) } as { a * b }
            }
        }
    )*};
}

operations!(f16 0x7e00 bf16 0x7fc0);

mod both {
    use vyre::{bf16, f16};
    use vyre_semantics::agree;

    agree! {
        fn narrowed(a: f16) -> bf16 { bf16::from_f32(a.to_f32()) }
        fn shortened(a: bf16) -> f16 { f16::from_f32(a.to_f32()) }
        fn same_bits(a: f16) -> bf16 { bf16::from_bits(a.to_bits()) } as {
            bf16::from_bits(if a.is_nan() { 0x7e00 } else { a.to_bits() })
        }
        fn mixed(a: f16, b: bf16, c: f32) -> f32 { a.to_f32() * b.to_f32() + c }
    }
}
