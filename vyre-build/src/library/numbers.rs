//! The methods of numbers.

use super::methods::on::{FLOAT, INTEGER, SIGNED, UNSIGNED};
use super::{Row, faults, row};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(UNSIGNED, "fn overflowing_mul(this: Self, y: Self) -> (Self, bool) { (this.wrapping_mul(y), this.__mul_high(y) != 0) }"),
    row(SIGNED, "fn overflowing_mul(this: Self, y: Self) -> (Self, bool) { let product = this.wrapping_mul(y); (product, this.__mul_high(y) != product >> (Self::BITS - 1)) }"),
    row(INTEGER, "fn checked_mul(this: Self, y: Self) -> Option<Self> { let (v, over) = this.overflowing_mul(y); if over { None } else { Some(v) } }"),
    row(UNSIGNED, "fn saturating_mul(this: Self, y: Self) -> Self { let (v, over) = this.overflowing_mul(y); if over { Self::MAX } else { v } }"),
    row(SIGNED, "fn saturating_mul(this: Self, y: Self) -> Self { let (v, over) = this.overflowing_mul(y); if !over { v } else if (this < 0) != (y < 0) { Self::MIN } else { Self::MAX } }"),

    row(UNSIGNED, "fn overflowing_neg(this: Self) -> (Self, bool) { (this.wrapping_neg(), this != 0) }"),
    row(SIGNED, "fn overflowing_neg(this: Self) -> (Self, bool) { (this.wrapping_neg(), this == Self::MIN) }"),
    row(INTEGER, "fn checked_neg(this: Self) -> Option<Self> { let (v, over) = this.overflowing_neg(); if over { None } else { Some(v) } }"),
    row(SIGNED, "fn saturating_neg(this: Self) -> Self { if this == Self::MIN { Self::MAX } else { -this } }"),
    row(SIGNED, "fn overflowing_abs(this: Self) -> (Self, bool) { (this.wrapping_abs(), this == Self::MIN) }"),
    row(SIGNED, "fn checked_abs(this: Self) -> Option<Self> { if this == Self::MIN { None } else { Some(this.abs()) } }"),
    row(SIGNED, "fn saturating_abs(this: Self) -> Self { if this == Self::MIN { Self::MAX } else { this.abs() } }"),

    row(INTEGER, "fn checked_shl(this: Self, y: u32) -> Option<Self> { if y < Self::BITS { Some(this << y) } else { None } }"),
    row(INTEGER, "fn checked_shr(this: Self, y: u32) -> Option<Self> { if y < Self::BITS { Some(this >> y) } else { None } }"),
    row(INTEGER, "fn overflowing_shl(this: Self, y: u32) -> (Self, bool) { (this.wrapping_shl(y), y >= Self::BITS) }"),
    row(INTEGER, "fn overflowing_shr(this: Self, y: u32) -> (Self, bool) { (this.wrapping_shr(y), y >= Self::BITS) }"),
    row(INTEGER, "fn unbounded_shl(this: Self, y: u32) -> Self { if y < Self::BITS { this << y } else { 0 } }"),
    row(UNSIGNED, "fn unbounded_shr(this: Self, y: u32) -> Self { if y < Self::BITS { this >> y } else { 0 } }"),
    row(SIGNED, "fn unbounded_shr(this: Self, y: u32) -> Self { if y < Self::BITS { this >> y } else { this >> (Self::BITS - 1) } }"),

    row(INTEGER, "fn overflowing_pow(this: Self, exponent: u32) -> (Self, bool) { if exponent == 0 { return (1, false); } let mut base: Self = this; let mut product: Self = 1; let mut left = exponent; let mut over = false; while left > 1 { if left % 2 == 1 { let (v, o) = product.overflowing_mul(base); product = v; over |= o; } left /= 2; let (v, o) = base.overflowing_mul(base); base = v; over |= o; } let (v, o) = product.overflowing_mul(base); (v, over | o) }"),
    row(INTEGER, "fn checked_pow(this: Self, exponent: u32) -> Option<Self> { let (v, over) = this.overflowing_pow(exponent); if over { None } else { Some(v) } }"),
    row(INTEGER, "fn saturating_pow(this: Self, exponent: u32) -> Self { let (v, over) = this.overflowing_pow(exponent); if !over { v } else if this > 0 || exponent % 2 == 0 { Self::MAX } else { Self::MIN } }"),

    row(UNSIGNED, "fn checked_div_euclid(this: Self, y: Self) -> Option<Self> { this.checked_div(y) }"),
    row(UNSIGNED, "fn checked_rem_euclid(this: Self, y: Self) -> Option<Self> { this.checked_rem(y) }"),
    row(SIGNED, "fn checked_div_euclid(this: Self, y: Self) -> Option<Self> { if y == 0 || (y == -1 && this == Self::MIN) { None } else { Some(this.div_euclid(y)) } }"),
    row(SIGNED, "fn checked_rem_euclid(this: Self, y: Self) -> Option<Self> { if y == 0 || (y == -1 && this == Self::MIN) { None } else { Some(this.rem_euclid(y)) } }"),
    faults(UNSIGNED, "fn wrapping_div_euclid(this: Self, y: Self) -> Self { this / y }"),
    faults(UNSIGNED, "fn wrapping_rem_euclid(this: Self, y: Self) -> Self { this % y }"),
    faults(SIGNED, "fn wrapping_div_euclid(this: Self, y: Self) -> Self { if y == -1 { this.wrapping_neg() } else { this.div_euclid(y) } }"),
    faults(SIGNED, "fn wrapping_rem_euclid(this: Self, y: Self) -> Self { if y == -1 { 0 } else { this.rem_euclid(y) } }"),
    faults(UNSIGNED, "fn overflowing_div(this: Self, y: Self) -> (Self, bool) { (this / y, false) }"),
    faults(UNSIGNED, "fn overflowing_rem(this: Self, y: Self) -> (Self, bool) { (this % y, false) }"),
    faults(SIGNED, "fn overflowing_div(this: Self, y: Self) -> (Self, bool) { (this.wrapping_div(y), y == -1 && this == Self::MIN) }"),
    faults(SIGNED, "fn overflowing_rem(this: Self, y: Self) -> (Self, bool) { (this.wrapping_rem(y), y == -1 && this == Self::MIN) }"),
    faults(UNSIGNED, "fn overflowing_div_euclid(this: Self, y: Self) -> (Self, bool) { (this / y, false) }"),
    faults(UNSIGNED, "fn overflowing_rem_euclid(this: Self, y: Self) -> (Self, bool) { (this % y, false) }"),
    faults(SIGNED, "fn overflowing_div_euclid(this: Self, y: Self) -> (Self, bool) { (this.wrapping_div_euclid(y), y == -1 && this == Self::MIN) }"),
    faults(SIGNED, "fn overflowing_rem_euclid(this: Self, y: Self) -> (Self, bool) { (this.wrapping_rem_euclid(y), y == -1 && this == Self::MIN) }"),
    faults(UNSIGNED, "fn saturating_div(this: Self, y: Self) -> Self { this / y }"),
    faults(SIGNED, "fn saturating_div(this: Self, y: Self) -> Self { if y == -1 && this == Self::MIN { Self::MAX } else { this / y } }"),

    row(UNSIGNED, "fn overflowing_add_signed(this: Self, y: Signed) -> (Self, bool) { let (v, over) = this.overflowing_add(y as Self); (v, over != (y < 0)) }"),
    row(UNSIGNED, "fn checked_add_signed(this: Self, y: Signed) -> Option<Self> { let (v, over) = this.overflowing_add_signed(y); if over { None } else { Some(v) } }"),
    row(UNSIGNED, "fn saturating_add_signed(this: Self, y: Signed) -> Self { let (v, over) = this.overflowing_add_signed(y); if !over { v } else if y < 0 { 0 } else { Self::MAX } }"),
    row(SIGNED, "fn overflowing_add_unsigned(this: Self, y: Unsigned) -> (Self, bool) { let (v, over) = this.overflowing_add(y as Self); (v, over != ((y as Self) < 0)) }"),
    row(SIGNED, "fn checked_add_unsigned(this: Self, y: Unsigned) -> Option<Self> { let (v, over) = this.overflowing_add_unsigned(y); if over { None } else { Some(v) } }"),
    row(SIGNED, "fn saturating_add_unsigned(this: Self, y: Unsigned) -> Self { let (v, over) = this.overflowing_add_unsigned(y); if over { Self::MAX } else { v } }"),
    row(SIGNED, "fn overflowing_sub_unsigned(this: Self, y: Unsigned) -> (Self, bool) { let (v, over) = this.overflowing_sub(y as Self); (v, over != ((y as Self) < 0)) }"),
    row(SIGNED, "fn checked_sub_unsigned(this: Self, y: Unsigned) -> Option<Self> { let (v, over) = this.overflowing_sub_unsigned(y); if over { None } else { Some(v) } }"),
    row(SIGNED, "fn saturating_sub_unsigned(this: Self, y: Unsigned) -> Self { let (v, over) = this.overflowing_sub_unsigned(y); if over { Self::MIN } else { v } }"),
    row(SIGNED, "fn wrapping_sub_unsigned(this: Self, y: Unsigned) -> Self { this.wrapping_sub(y as Self) }"),

    row(UNSIGNED, "fn isqrt(this: Self) -> Self { let mut left: Self = this; let mut root: Self = 0; let mut bit: Self = 1 << (Self::BITS - 2); while bit > left { bit >>= 2; } while bit != 0 { if left >= root + bit { left -= root + bit; root = (root >> 1) + bit; } else { root >>= 1; } bit >>= 2; } root }"),
    faults(SIGNED, "fn isqrt(this: Self) -> Self { if this < 0 { panic!(\"argument of integer square root cannot be negative\"); } (this as Unsigned).isqrt() as Self }"),
    row(SIGNED, "fn checked_isqrt(this: Self) -> Option<Self> { if this < 0 { None } else { Some((this as Unsigned).isqrt() as Self) } }"),
    row(INTEGER, "fn checked_ilog2(this: Self) -> Option<u32> { if this <= 0 { None } else { Some(Self::BITS - 1 - this.leading_zeros()) } }"),
    row(INTEGER, "fn checked_ilog10(this: Self) -> Option<u32> { if this <= 0 { return None; } let mut left: Self = this; let mut count = 0; while left >= 10 { left /= 10; count += 1; } Some(count) }"),
    faults(INTEGER, "fn ilog10(this: Self) -> u32 { match this.checked_ilog10() { Some(v) => v, None => panic!(\"argument of integer logarithm must be positive\") } }"),
    row(INTEGER, "fn checked_ilog(this: Self, base: Self) -> Option<u32> { if this <= 0 || base <= 1 { return None; } let mut left: Self = this; let mut count = 0; while left >= base { left /= base; count += 1; } Some(count) }"),
    faults(INTEGER, "fn ilog(this: Self, base: Self) -> u32 { if base < 2 { panic!(\"base of integer logarithm must be at least 2\"); } match this.checked_ilog(base) { Some(v) => v, None => panic!(\"argument of integer logarithm must be positive\") } }"),
    row(UNSIGNED, "fn midpoint(this: Self, y: Self) -> Self { ((this ^ y) >> 1) + (this & y) }"),
    row(SIGNED, "fn midpoint(this: Self, y: Self) -> Self { let below = ((this ^ y) >> 1) + (this & y); if below < 0 && (this ^ y) & 1 == 1 { below + 1 } else { below } }"),
    faults(UNSIGNED, "fn next_multiple_of(this: Self, y: Self) -> Self { let rest = this % y; if rest == 0 { this } else { this + (y - rest) } }"),
    row(UNSIGNED, "fn checked_next_multiple_of(this: Self, y: Self) -> Option<Self> { if y == 0 { return None; } let rest = this % y; if rest == 0 { Some(this) } else { this.checked_add(y - rest) } }"),
    row(UNSIGNED, "fn checked_next_power_of_two(this: Self) -> Option<Self> { let v = this.next_power_of_two(); if v == 0 { None } else { Some(v) } }"),

    row(INTEGER, "fn to_le(this: Self) -> Self { this }"),
    row(INTEGER, "fn to_be(this: Self) -> Self { this.swap_bytes() }"),
    row(INTEGER, "fn to_le_bytes(this: Self) -> Bytes { [BYTES] }"),
    row(INTEGER, "fn to_ne_bytes(this: Self) -> Bytes { [BYTES] }"),
    row(INTEGER, "fn to_be_bytes(this: Self) -> Bytes { this.swap_bytes().to_le_bytes() }"),
    row(FLOAT, "fn to_le_bytes(this: Self) -> Bytes { this.to_bits().to_le_bytes() }"),
    row(FLOAT, "fn to_ne_bytes(this: Self) -> Bytes { this.to_bits().to_le_bytes() }"),
    row(FLOAT, "fn to_be_bytes(this: Self) -> Bytes { this.to_bits().to_be_bytes() }"),

    row(FLOAT, "fn is_normal(this: Self) -> bool { this.abs() >= Self::MIN_POSITIVE && this.abs() < Self::INFINITY }"),
    row(FLOAT, "fn is_subnormal(this: Self) -> bool { this.abs() < Self::MIN_POSITIVE && this != 0.0 }"),
    row(FLOAT, "fn next_up(this: Self) -> Self { let bits = this.to_bits(); if this.is_nan() || this == Self::INFINITY { return this; } let magnitude = this.abs().to_bits(); if magnitude == 0 { Self::from_bits(1) } else if bits == magnitude { Self::from_bits(bits + 1) } else { Self::from_bits(bits - 1) } }"),
    row(FLOAT, "fn next_down(this: Self) -> Self { -(-this).next_up() }"),
];

/// Functions of numbers that are only called by path.
#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Row] = &[
    row(INTEGER, "fn from_le_bytes(this: Bytes) -> Self { WORDS }"),
    row(INTEGER, "fn from_ne_bytes(this: Bytes) -> Self { WORDS }"),
    row(INTEGER, "fn from_be_bytes(this: Bytes) -> Self { Self::from_le_bytes(this).swap_bytes() }"),
    row(INTEGER, "fn from_le(this: Self) -> Self { this }"),
    row(INTEGER, "fn from_be(this: Self) -> Self { this.swap_bytes() }"),
    row(FLOAT, "fn from_le_bytes(this: Bytes) -> Self { Self::from_bits(Unsigned::from_le_bytes(this)) }"),
    row(FLOAT, "fn from_ne_bytes(this: Bytes) -> Self { Self::from_bits(Unsigned::from_le_bytes(this)) }"),
    row(FLOAT, "fn from_be_bytes(this: Bytes) -> Self { Self::from_bits(Unsigned::from_be_bytes(this)) }"),
];
