//! Methods of numbers that are lowered to other operations, on all pairs of edge values.

macro_rules! integers {
    ($($T:ident)*) => {$(
        mod $T {
            use vyre_semantics::agree;

            agree! {
                fn products(a: $T, b: $T) -> u64 {
                    let (product, over) = a.overflowing_mul(b);
                    (product as u64).rotate_left(7) ^ (a.saturating_mul(b) as u64).rotate_left(23) ^ a.checked_mul(b).map_or(3, |v| v as u64) ^ over as u64
                }
                fn signs(a: $T) -> u64 {
                    let (negative, over) = a.overflowing_neg();
                    (negative as u64).rotate_left(9) ^ a.checked_neg().map_or(5, |v| v as u64) ^ over as u64
                }
                fn shifts(a: $T, b: u32) -> u64 {
                    let (left, over) = a.overflowing_shl(b);
                    let (right, _) = a.overflowing_shr(b);
                    (left as u64).rotate_left(11) ^ (right as u64).rotate_left(31) ^ over as u64 ^ a.checked_shl(b).map_or(1, |v| v as u64) ^ (a.checked_shr(b).map_or(2, |v| v as u64) << 3) ^ (a.unbounded_shl(b) as u64).rotate_left(41) ^ (a.unbounded_shr(b) as u64).rotate_left(51)
                }
                fn powers(a: $T, b: u32) -> u64 {
                    let exponent = b % 70;
                    let (power, over) = a.overflowing_pow(exponent);
                    (power as u64).rotate_left(7) ^ (a.saturating_pow(exponent) as u64).rotate_left(29) ^ a.checked_pow(exponent).map_or(6, |v| v as u64) ^ over as u64
                }
                fn quotients(a: $T, b: $T) -> u64 {
                    let euclid = a.checked_div_euclid(b).map_or(3, |v| v as u64) ^ a.checked_rem_euclid(b).map_or(4, |v| v as u64).rotate_left(17);
                    let b = if b == 0 { 1 } else { b };
                    let ((q, over), (r, _)) = (a.overflowing_div(b), a.overflowing_rem(b));
                    euclid ^ (q as u64).rotate_left(5) ^ (r as u64).rotate_left(15) ^ over as u64 ^ (a.wrapping_div_euclid(b) as u64).rotate_left(25) ^ (a.wrapping_rem_euclid(b) as u64).rotate_left(35) ^ (a.saturating_div(b) as u64).rotate_left(45) ^ a.overflowing_rem_euclid(b).1 as u64 ^ (a.overflowing_div_euclid(b).0 as u64).rotate_left(55)
                }
                fn roots_and_logarithms(a: $T, b: $T) -> u64 {
                    let positive = if a < 0 { 0 } else { a };
                    let logarithms = a.checked_ilog2().unwrap_or(90) ^ (a.checked_ilog10().unwrap_or(91) << 8) ^ (a.checked_ilog(b).unwrap_or(92) << 16);
                    let faulting = if a > 0 && b > 1 { a.ilog10() ^ (a.ilog(b) << 8) } else { 0 };
                    (positive.isqrt() as u64).rotate_left(32) ^ logarithms as u64 ^ (faulting as u64) << 24
                }
                fn middles(a: $T, b: $T) -> $T { a.midpoint(b) }
                fn bytes(a: $T, b: $T) -> u64 {
                    let (one, other) = (a.to_be_bytes(), b.to_le_bytes());
                    let mut sum = 0u64;
                    for byte in one { sum = sum.wrapping_mul(31) ^ byte as u64; }
                    for byte in other { sum = sum.wrapping_mul(31) ^ byte as u64; }
                    sum ^ ($T::from_be_bytes(other) as u64) ^ ($T::from_le_bytes(one) as u64).rotate_left(13) ^ ($T::from_ne_bytes(a.to_ne_bytes()) as u64) ^ ($T::from_be(a).to_be() ^ $T::from_le(b).to_le()) as u64
                }
            }
        }
    )*};
}

integers! { u8 i8 u32 i32 u64 i64 usize }

macro_rules! unsigned {
    ($($T:ident $Signed:ident)*) => {$(
        mod $Signed {
            use vyre_semantics::agree;

            agree! {
                fn with_a_sign(a: $T, b: $Signed) -> u64 {
                    let (sum, over) = a.overflowing_add_signed(b);
                    (sum as u64).rotate_left(7) ^ over as u64 ^ a.checked_add_signed(b).map_or(3, |v| v as u64) ^ (a.saturating_add_signed(b) as u64).rotate_left(19)
                }
                fn without_a_sign(a: $Signed, b: $T) -> u64 {
                    let ((sum, over), (rest, under)) = (a.overflowing_add_unsigned(b), a.overflowing_sub_unsigned(b));
                    (sum as u64).rotate_left(7) ^ over as u64 ^ (rest as u64).rotate_left(27) ^ (under as u64) << 1 ^ a.checked_add_unsigned(b).map_or(3, |v| v as u64) ^ a.checked_sub_unsigned(b).map_or(3, |v| v as u64).rotate_left(37) ^ (a.saturating_add_unsigned(b) as u64).rotate_left(47) ^ (a.saturating_sub_unsigned(b) as u64).rotate_left(57) ^ a.wrapping_sub_unsigned(b) as u64
                }
                fn magnitudes(a: $Signed) -> u64 {
                    let (size, over) = a.overflowing_abs();
                    (size as u64).rotate_left(7) ^ over as u64 ^ a.checked_abs().map_or(3, |v| v as u64) ^ (a.saturating_abs() as u64).rotate_left(17) ^ (a.saturating_neg() as u64).rotate_left(27) ^ a.checked_isqrt().map_or(4, |v| v as u64).rotate_left(37)
                }
                fn multiples(a: $T, b: $T) -> u64 {
                    let faulting = if b > 0 && a < $T::MAX / 4 && b < $T::MAX / 4 { a.next_multiple_of(b) } else { 1 };
                    a.checked_next_multiple_of(b).map_or(3, |v| v as u64) ^ (faulting as u64).rotate_left(11) ^ a.checked_next_power_of_two().map_or(5, |v| v as u64).rotate_left(31)
                }
            }
        }
    )*};
}

/// Under separate names, to avoid collisions.
mod mixed {
    unsigned! { u8 i8 u32 i32 u64 i64 }
}

/// Methods of Rust 1.91.
#[cfg(rust_1_91)]
mod newer {
    macro_rules! unsigned {
        ($($T:ident $Signed:ident)*) => {$(
            mod $T {
                use vyre_semantics::agree;

                agree! {
                    fn less_with_a_sign(a: $T, b: $Signed) -> u64 {
                        let (rest, over) = a.overflowing_sub_signed(b);
                        (rest as u64).rotate_left(7) ^ over as u64 ^ a.checked_sub_signed(b).map_or(3, |v| v as u64) ^ (a.saturating_sub_signed(b) as u64).rotate_left(19) ^ (a.wrapping_sub_signed(b) as u64).rotate_left(29)
                    }
                    fn differences(a: $T, b: $T) -> u64 { a.checked_signed_diff(b).map_or(3, |v| (v as u64).rotate_left(7)) }
                    fn carries(a: $T, b: $T) -> u64 {
                        let mut bits = 0u64;
                        for carry in [false, true] {
                            let ((sum, over), (rest, under)) = (a.carrying_add(b, carry), a.borrowing_sub(b, carry));
                            bits = bits.rotate_left(13) ^ (sum as u64).rotate_left(7) ^ over as u64 ^ (rest as u64).rotate_left(27) ^ ((under as u64) << 1);
                        }
                        bits
                    }
                    fn wide_products(a: $T, b: $T) -> u64 {
                        let (low, high) = a.carrying_mul(b, a ^ 5);
                        let (sum, carry) = b.carrying_mul_add(a, b, $T::MAX - a);
                        (low as u64).rotate_left(7) ^ high as u64 ^ (sum as u64).rotate_left(27) ^ (carry as u64).rotate_left(41)
                    }
                }
            }
        )*};
    }

    unsigned! { u8 i8 u16 i16 u32 i32 u64 i64 usize isize }
}

macro_rules! floats {
    ($($T:ident)*) => {$(
        mod $T {
            use vyre_semantics::agree;

            agree! {
                fn next_up(a: $T) -> $T { a.next_up() }
                fn next_down(a: $T) -> $T { a.next_down() }
                fn middles(a: $T, b: $T) -> $T { a.midpoint(b) }
                fn classes(a: $T) -> u32 { a.is_normal() as u32 + a.is_subnormal() as u32 * 2 }
                fn bytes(a: $T) -> $T { $T::from_be_bytes(a.to_be_bytes()) + $T::from_le_bytes(a.to_le_bytes()) * $T::from_ne_bytes(a.to_ne_bytes()) }
            }
        }
    )*};
}

floats! { f32 f64 }
