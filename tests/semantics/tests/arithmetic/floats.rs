//! Every operation on floats, and on `bool`, on all pairs of edge values. Any NaN equals any other.

macro_rules! operations {
    ($($T:ident $U:ident $nan:literal)*) => {$(
        mod $T {
            use vyre_semantics::agree;

            agree! {
                fn add(a: $T, b: $T) -> $T { a + b }
                fn sub(a: $T, b: $T) -> $T { a - b }
                fn mul(a: $T, b: $T) -> $T { a * b }
                fn div(a: $T, b: $T) -> $T { a / b }
                fn rem(a: $T, b: $T) -> $T { a % b }
                fn add_assign(a: $T, b: $T) -> $T { let mut x = a; x += b; x *= b; x -= a; x /= b; x }
                fn mul_then_add(a: $T, b: $T, c: $T) -> $T { a * b + c }
                fn mul_add(a: $T, b: $T, c: $T) -> $T { a.mul_add(b, c) }
                fn sqrt(a: $T) -> $T { a.sqrt() }
                fn recip(a: $T) -> $T { a.recip() }
                fn to_radians(a: $T) -> $T { a.to_radians() }
                fn to_degrees(a: $T) -> $T { a.to_degrees() }

                fn floor(a: $T) -> $T { a.floor() }
                fn ceil(a: $T) -> $T { a.ceil() }
                fn trunc(a: $T) -> $T { a.trunc() }
                fn round(a: $T) -> $T { a.round() }
                fn round_ties_even(a: $T) -> $T { a.round_ties_even() }
                fn fract(a: $T) -> $T { a.fract() }
                fn rem_euclid(a: $T, b: $T) -> $T { a.rem_euclid(b) }
                fn div_euclid(a: $T, b: $T) -> $T { a.div_euclid(b) }

                fn eq(a: $T, b: $T) -> bool { a == b }
                fn ne(a: $T, b: $T) -> bool { a != b }
                fn lt(a: $T, b: $T) -> bool { a < b }
                fn le(a: $T, b: $T) -> bool { a <= b }
                fn gt(a: $T, b: $T) -> bool { a > b }
                fn ge(a: $T, b: $T) -> bool { a >= b }
                fn not_lt(a: $T, b: $T) -> bool { !(a < b) }
                // Rules that assemblers apply although they do not hold for a NaN.
                fn magnitude(a: $T) -> bool { a.abs() >= 0.0 }
                fn magnitude_above(a: $T) -> bool { -1.0 < a.abs() }
                fn least_magnitude(a: $T, b: $T) -> bool { 0.0 <= a.abs().min(b.abs()) }
                fn greatest_magnitude(a: $T, b: $T) -> bool { a.max(b.abs()) > -1.0 }
                fn least_negated(a: $T) -> bool { -a.abs() < 0.5 }
                fn chosen_magnitude(a: $T, b: $T) -> bool { -2.0 < if a < b { a.abs() } else { b.abs() } }
                fn squares(a: $T, b: $T) -> bool { a * a + b.abs() >= 0.0 }

                // Rust leaves the order of the zeros open; vyre defines -0 as the smaller one.
                fn min(a: $T, b: $T) -> $T { a.min(b) } as {
                    if a == b { if a.is_sign_negative() { a } else { b } } else { a.min(b) }
                }
                fn max(a: $T, b: $T) -> $T { a.max(b) } as {
                    if a == b { if a.is_sign_negative() { b } else { a } } else { a.max(b) }
                }
                fn clamp(a: $T) -> $T { a.clamp(-0.5, 2.5) }
                fn clamp_at_zero(a: $T) -> $T { a.clamp(0.0, 1.0) }
                // A saturation, which is 0 for a NaN, and a similar expression that is not one.
                fn saturated(a: $T) -> $T { a.max(0.0).min(1.0) } as { if a > 0.0 { a.min(1.0) } else { 0.0 } }
                fn least_of_one_first(a: $T) -> $T { a.min(1.0).max(0.0) } as {
                    if a.is_nan() { 1.0 } else { a.clamp(0.0, 1.0) + 0.0 }
                }
                fn chosen_least_first(a: $T) -> $T {
                    let least = if a < 1.0 { a } else { 1.0 };
                    if least > 0.0 { least } else { 0.0 }
                }
                fn chosen_or_equal(a: $T) -> $T {
                    let least = if a > 1.0 || a != a { 1.0 } else { a };
                    if least <= 0.0 { 0.0 } else { least }
                }
                fn least_of_two_first(a: $T) -> $T { a.min(2.0).max(0.0).min(1.0) } as {
                    if a.is_nan() { 1.0 } else { a.clamp(0.0, 1.0) + 0.0 }
                }
                fn least_of_one_and_another_first(a: $T, b: $T) -> $T { a.min(1.0).min(b).max(0.0) } as {
                    let least = if a.is_nan() { 1.0 } else { a.min(1.0) };
                    if b < least { b.max(0.0) + 0.0 } else { least.max(0.0) + 0.0 }
                }
                fn least_of_late_one_first(a: $T, b: $T) -> $T {
                    let one = if b < b { 0.0 } else { 1.0 };
                    a.min(one).max(0.0)
                } as { if a.is_nan() { 1.0 } else { a.clamp(0.0, 1.0) + 0.0 } }
                fn least_of_sum_first(a: $T, b: $T) -> $T { (a * b).min(1.0).max(0.0) } as {
                    if (a * b).is_nan() { 1.0 } else { (a * b).clamp(0.0, 1.0) + 0.0 }
                }
                fn negative_zero_first(a: $T) -> $T { a.max(-0.0).min(1.0) } as {
                    if a > 0.0 { a.min(1.0) } else if a == 0.0 { a } else { -0.0 }
                }
                fn negative_zero_last(a: $T) -> $T { a.min(1.0).max(-0.0) } as {
                    if a.is_nan() { 1.0 } else if a == 0.0 { a } else if a < 0.0 { -0.0 } else { a.min(1.0) }
                }
                fn chosen_zero(a: $T) -> $T { if a < 0.0 { a } else { 0.0 } }
                fn chosen_negative_zero(a: $T) -> $T { if a > -0.0 { a } else { -0.0 } }
                fn chosen_or_equal_zero(a: $T) -> $T { if a >= 0.0 { a } else { 0.0 } }
                fn chosen_or_equal_negative_zero(a: $T) -> $T { if a <= -0.0 { a } else { -0.0 } }
                fn one_or_negative_zero(a: $T) -> $T { if a > 2.0 { 1.0 } else { -0.0 } }
                fn negative_zero_or_negative_one(a: $T) -> $T { if a > 2.0 { -0.0 } else { -1.0 } }
                fn magnitude_of_negative_zero(a: $T) -> $T { (if a > 2.0 { -0.0 } else { a }).abs() }
                fn chosen_greatest(a: $T) -> $T { if a > 0.0 { a } else { 0.0 } }

                fn neg(a: $T) -> $T { -a }
                fn abs(a: $T) -> $T { a.abs() }
                fn signum(a: $T) -> $T { a.signum() }
                fn is_nan(a: $T) -> bool { a.is_nan() }
                fn is_infinite(a: $T) -> bool { a.is_infinite() }
                fn is_finite(a: $T) -> bool { a.is_finite() }

                // The bits of a NaN are those of the canonical one.
                fn to_bits(a: $T) -> $U { a.to_bits() } as { if a.is_nan() { $nan } else { a.to_bits() } }
                fn from_bits(a: $U) -> $T { $T::from_bits(a) }
                fn from_bits_of_to_bits(a: $T) -> $T { $T::from_bits(a.to_bits() ^ 1) } as {
                    $T::from_bits(if a.is_nan() { $nan ^ 1 } else { a.to_bits() ^ 1 })
                }
                fn copied(a: $T) -> $T { let t = [a, -a]; t[0] }
            }
        }
    )*};
}

operations!(f32 u32 0x7fc0_0000 f64 u64 0x7ff8_0000_0000_0000);

mod bool {
    use vyre_semantics::agree;

    agree! {
        fn and(a: bool, b: bool) -> bool { a & b }
        fn or(a: bool, b: bool) -> bool { a | b }
        fn xor(a: bool, b: bool) -> bool { a ^ b }
        fn not(a: bool) -> bool { !a }
        fn and_assign(a: bool, b: bool) -> bool { let mut x = a; x &= b; x ^= a; x |= b; x }
        fn short_and(a: bool, b: bool) -> bool { a && b }
        fn short_or(a: bool, b: bool) -> bool { a || b }
        fn eq(a: bool, b: bool) -> bool { a == b }
        fn ne(a: bool, b: bool) -> bool { a != b }
        fn lt(a: bool, b: bool) -> bool { a < b }
        fn le(a: bool, b: bool) -> bool { a <= b }
        fn gt(a: bool, b: bool) -> bool { a > b }
        fn ge(a: bool, b: bool) -> bool { a >= b }
        fn chosen(a: bool, b: bool, c: u8) -> u8 { if a { c } else if b { !c } else { 0 } }
    }
}
