//! Integers of 128 bits: the operations of every integer type, and those that are about words.

#[path = "../arithmetic/operations.rs"]
#[macro_use]
mod operations;

mod conversions;
mod memory;
mod sugar;
mod words;

operations!(u128 i128);
signed_operations!(signed: i128);
unsigned_operations!(unsigned: u128);

macro_rules! more_operations {
    ($($module:ident: $T:ident)*) => {$(
        mod $module {
            use vyre_semantics::agree;

            agree! {
                fn checked_mul(a: $T, b: $T) -> $T { a.checked_mul(b).unwrap_or(99) }
                fn saturating_mul(a: $T, b: $T) -> $T { a.saturating_mul(b) }
                fn overflowing_mul(a: $T, b: $T) -> $T { let (v, over) = a.overflowing_mul(b); if over { !v } else { v } }
                fn overflowing_neg(a: $T) -> $T { let (v, over) = a.overflowing_neg(); if over { !v } else { v } }
                fn checked_neg(a: $T) -> $T { a.checked_neg().unwrap_or(99) }
                fn checked_shl(a: $T, b: u32) -> $T { a.checked_shl(b).unwrap_or(99) }
                fn checked_shr(a: $T, b: u32) -> $T { a.checked_shr(b).unwrap_or(99) }
                fn unbounded_shl(a: $T, b: u32) -> $T { a.unbounded_shl(b) }
                fn unbounded_shr(a: $T, b: u32) -> $T { a.unbounded_shr(b) }
                fn checked_pow(a: $T, b: u32) -> $T { a.checked_pow(b & 63).unwrap_or(99) }
                fn saturating_pow(a: $T, b: u32) -> $T { a.saturating_pow(b & 63) }
                fn checked_div_euclid(a: $T, b: $T) -> $T { a.checked_div_euclid(b).unwrap_or(99) }
                fn checked_rem_euclid(a: $T, b: $T) -> $T { a.checked_rem_euclid(b).unwrap_or(99) }
                fn midpoint(a: $T, b: $T) -> $T { a.midpoint(b) }
                fn isqrt(a: $T) -> $T { if a < 0 { 0 } else { a.isqrt() } }
                fn checked_ilog10(a: $T) -> u32 { a.checked_ilog10().unwrap_or(99) }
                fn abs_diff_whole(a: $T, b: $T) -> u128 { a.abs_diff(b) }
                fn from_bytes(a: $T) -> $T { let bytes = a.to_le_bytes(); $T::from_be_bytes(bytes) }
                fn byte(a: $T, b: u8) -> u8 { a.to_be_bytes()[(b & 15) as usize] }
                fn order(a: $T, b: $T) -> i8 { a.cmp(&b) as i8 }
                fn matched(a: $T) -> u32 { match a { 0 => 1, 1..=63 => 2, 0xffff_ffff_ffff_ffff => 3, $T::MAX => 4, _ => 5 } }
                fn literals(a: $T) -> $T { let mut x = 1; x <<= 100; x ^= 0x7fff_ffff_ffff_ffff_ffff_ffff_ffff_ffff; let y = 3; x ^ a & !y }
                fn bits(a: $T) -> u32 { a.leading_zeros() + $T::BITS }
                fn limits(a: $T) -> $T { if a > $T::MAX / 2 { $T::MIN } else { $T::MAX } }
                fn through_references(a: $T, b: $T) -> $T { let (x, y) = (&a, &b); (x ^ y) + *x } as { (a ^ b).wrapping_add(a) }
                fn sum_of_an_array(a: $T, b: $T) -> $T {
                    let all = [a, b, a ^ b];
                    let mut sum: $T = 0;
                    for value in all { sum += value; }
                    sum
                } as { a.wrapping_add(b).wrapping_add(a ^ b) }
            }
        }
    )*};
}

more_operations!(more_unsigned: u128 more_signed: i128);

/// Methods of Rust 1.91.
#[cfg(rust_1_91)]
mod newer {
    use vyre_semantics::agree;

    agree! {
        fn carries(a: u128, b: u128) -> u128 {
            let ((sum, over), (rest, under)) = (a.carrying_add(b, a > b), a.borrowing_sub(b, b > 5));
            sum ^ rest.rotate_left(31) ^ over as u128 ^ (under as u128) << 1
        }
        fn products(a: u128, b: u128) -> u128 {
            let ((low, high), (sum, carry)) = (a.carrying_mul(b, a ^ 5), b.carrying_mul_add(a, b, u128::MAX - a));
            low ^ high.rotate_left(17) ^ sum.rotate_left(41) ^ carry.rotate_left(77)
        }
    }
}
