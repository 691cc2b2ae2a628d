//! The operations of integers of 128 bits, on their words.
//!
//! A program has no such integers: each operation of one is a call of a function here. They wrap, and shifts take their
//! amounts modulo 128. Division and remainder are of numbers whose quotient exists; who calls them has held the divisor
//! against zero.

use vyre_ir::ir::{BinaryOp, UnaryOp};

use super::methods::on::{FLOAT, WIDE, WIDE_SIGNED, WIDE_UNSIGNED};
use super::{Row, row};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(WIDE, "fn __add(this: Self, y: Self) -> Self { let low = this.__low() + y.__low(); let carry = (low < y.__low()) as u64; low.__join(this.__high() + y.__high() + carry) as Self }"),
    row(WIDE, "fn __sub(this: Self, y: Self) -> Self { let borrow = (this.__low() < y.__low()) as u64; (this.__low() - y.__low()).__join(this.__high() - y.__high() - borrow) as Self }"),
    row(WIDE, "fn __mul(this: Self, y: Self) -> Self { let (a, b) = (this.__low(), y.__low()); (a * b).__join(a.__mul_high(b) + a * y.__high() + this.__high() * b) as Self }"),
    // The products of words, each with the carry of those below it, which fits.
    row(WIDE_UNSIGNED, "fn __mul_high(this: Self, y: Self) -> Self { let (low, high) = (y.__low() as u128, y.__high() as u128); let a = this.__high() as u128 * low + this.__low().__mul_high(y.__low()) as u128; let b = this.__low() as u128 * high + a.__low() as u128; this.__high() as u128 * high + a.__high() as u128 + b.__high() as u128 }"),
    // A negative number is 2^128 less than the unsigned one of its bits.
    row(WIDE_SIGNED, "fn __mul_high(this: Self, y: Self) -> Self { let (a, b) = (this as u128, y as u128); let left = if this < 0 { b } else { 0 }; let right = if y < 0 { a } else { 0 }; (a.__mul_high(b) - left - right) as i128 }"),
    row(WIDE, "fn __neg(this: Self) -> Self { (0 - this.__low()).__join(!this.__high() + (this.__low() == 0) as u64) as Self }"),
    row(WIDE, "fn __not(this: Self) -> Self { (!this.__low()).__join(!this.__high()) as Self }"),
    row(WIDE, "fn __and(this: Self, y: Self) -> Self { (this.__low() & y.__low()).__join(this.__high() & y.__high()) as Self }"),
    row(WIDE, "fn __or(this: Self, y: Self) -> Self { (this.__low() | y.__low()).__join(this.__high() | y.__high()) as Self }"),
    row(WIDE, "fn __xor(this: Self, y: Self) -> Self { (this.__low() ^ y.__low()).__join(this.__high() ^ y.__high()) as Self }"),
    // By 64 in two steps, which are no shifts of a word by all its bits.
    row(WIDE, "fn __shl(this: Self, y: u32) -> Self { let by = y & 127; let (low, high) = (this.__low(), this.__high()); (if by >= 64 { 0u64.__join(low << (by - 64)) } else { (low << by).__join(high << by | low >> 1 >> (63 - by)) }) as Self }"),
    row(WIDE_UNSIGNED, "fn __shr(this: Self, y: u32) -> Self { let by = y & 127; let (low, high) = (this.__low(), this.__high()); if by >= 64 { (high >> (by - 64)).__join(0) } else { (low >> by | high << 1 << (63 - by)).__join(high >> by) } }"),
    row(WIDE_SIGNED, "fn __shr(this: Self, y: u32) -> Self { let by = y & 127; let (low, high) = (this.__low(), this.__high() as i64); (if by >= 64 { ((high >> (by - 64)) as u64).__join((high >> 63) as u64) } else { (low >> by | (high as u64) << 1 << (63 - by)).__join((high >> by) as u64) }) as Self }"),
    row(WIDE, "fn __rotate_left(this: Self, y: u32) -> Self { let bits = this as u128; (bits << y | bits >> (128 - (y & 127))) as Self }"),
    row(WIDE, "fn __rotate_right(this: Self, y: u32) -> Self { let bits = this as u128; (bits >> y | bits << (128 - (y & 127))) as Self }"),
    row(WIDE, "fn __min(this: Self, y: Self) -> Self { if y < this { y } else { this } }"),
    row(WIDE, "fn __max(this: Self, y: Self) -> Self { if y < this { this } else { y } }"),
    row(WIDE_SIGNED, "fn __abs(this: Self) -> Self { if this < 0 { -this } else { this } }"),
    row(WIDE, "fn __pow(this: Self, exponent: u32) -> Self { let mut power: Self = this; let mut product: Self = 1; let mut left = exponent; while left != 0 { if left & 1 == 1 { product *= power; } left >>= 1; if left != 0 { power *= power; } } product }"),
    row(WIDE, "fn __swap_bytes(this: Self) -> Self { this.__high().swap_bytes().__join(this.__low().swap_bytes()) as Self }"),
    row(WIDE, "fn __reverse_bits(this: Self) -> Self { this.__high().reverse_bits().__join(this.__low().reverse_bits()) as Self }"),
    row(WIDE, "fn __count_ones(this: Self) -> u32 { this.__low().count_ones() + this.__high().count_ones() }"),
    row(WIDE, "fn __leading_zeros(this: Self) -> u32 { if this.__high() != 0 { this.__high().leading_zeros() } else { 64 + this.__low().leading_zeros() } }"),
    row(WIDE, "fn __trailing_zeros(this: Self) -> u32 { if this.__low() != 0 { this.__low().trailing_zeros() } else { 64 + this.__high().trailing_zeros() } }"),

    // Knuth's algorithm D on halves of words (The Art of Computer Programming, vol. 2, 4.3.1), for a high word below `y`.
    row(WIDE_UNSIGNED, "fn __div_word(this: Self, y: u64) -> u64 {
        let by = y.leading_zeros();
        let divisor = y << by;
        let (top, bottom) = (divisor >> 32, divisor & 0xffff_ffff);
        let whole = this << by;
        let (high, low) = (whole.__high(), whole.__low());
        let next = low >> 32;
        let mut first = high / top;
        let mut rest = high - first * top;
        while first >> 32 != 0 || first * bottom > (rest << 32 | next) { first -= 1; rest += top; if rest >> 32 != 0 { break; } }
        let high = (high << 32 | next) - first * divisor;
        let next = low & 0xffff_ffff;
        let mut second = high / top;
        let mut rest = high - second * top;
        while second >> 32 != 0 || second * bottom > (rest << 32 | next) { second -= 1; rest += top; if rest >> 32 != 0 { break; } }
        (first << 32) + second
    }"),
    // By a divisor of two words the quotient is one word: that of their highest 64 bits, at most one too much
    // (Warren, Hacker's Delight, 9-5).
    row(WIDE_UNSIGNED, "fn __div(this: Self, y: Self) -> Self {
        if y.__high() == 0 {
            let by = y.__low();
            if this.__high() == 0 { return (this.__low() / by) as u128; }
            let first = this.__high() / by;
            return this.__low().__join(this.__high() - first * by).__div_word(by).__join(first);
        }
        let by = y.__high().leading_zeros();
        let top = (y << by).__high();
        let guess = (this >> 1).__div_word(top) >> (63 - by);
        let least = if guess == 0 { 0 } else { guess - 1 };
        let rest = this - least as u128 * y;
        (least + (rest >= y) as u64) as u128
    }"),
    row(WIDE_UNSIGNED, "fn __rem(this: Self, y: Self) -> Self { this - this.__div(y) * y }"),
    row(WIDE_SIGNED, "fn __div(this: Self, y: Self) -> Self { let quotient = this.unsigned_abs().__div(y.unsigned_abs()); if (this < 0) != (y < 0) { -(quotient as i128) } else { quotient as i128 } }"),
    row(WIDE_SIGNED, "fn __rem(this: Self, y: Self) -> Self { let rest = this.unsigned_abs().__rem(y.unsigned_abs()); if this < 0 { -(rest as i128) } else { rest as i128 } }"),

    // The highest 64 bits, of which the last one tells whether there are more, round as all of them do.
    row(WIDE_UNSIGNED, "fn __to_f64(this: Self) -> f64 { if this.__high() == 0 { return this.__low() as f64; } let by = this.leading_zeros(); let whole = this << by; (whole.__high() | (whole.__low() != 0) as u64) as f64 * f64::from_bits(((1087 - by) as u64) << 52) }"),
    row(WIDE_UNSIGNED, "fn __to_f32(this: Self) -> f32 { if this.__high() == 0 { return this.__low() as f32; } let by = this.leading_zeros(); let whole = this << by; (whole.__high() | (whole.__low() != 0) as u64) as f32 * f32::from_bits((191 - by) << 23) }"),
    row(WIDE_SIGNED, "fn __to_f64(this: Self) -> f64 { let value = this.unsigned_abs().__to_f64(); if this < 0 { -value } else { value } }"),
    row(WIDE_SIGNED, "fn __to_f32(this: Self) -> f32 { let value = this.unsigned_abs().__to_f32(); if this < 0 { -value } else { value } }"),
    // Truncated to an integer; the nearest limit for what is outside, and 0 for a NaN.
    row(FLOAT, "fn __to_u128(this: Self) -> u128 {
        let value = this as f64;
        if !(value >= 1.0) { return 0; }
        if value >= 340282366920938463463374607431768211456.0 { return u128::MAX; }
        let bits = value.to_bits();
        let power = (bits >> 52) as u32 - 1023;
        let digits = bits & 0xf_ffff_ffff_ffff | 0x10_0000_0000_0000;
        if power <= 52 { (digits >> (52 - power)) as u128 } else { (digits as u128) << (power - 52) }
    }"),
    row(FLOAT, "fn __to_i128(this: Self) -> i128 {
        if this >= 170141183460469231731687303715884105728.0 { return i128::MAX; }
        if this <= -170141183460469231731687303715884105728.0 { return i128::MIN; }
        let magnitude = this.abs().__to_u128() as i128;
        if this < 0.0 { -magnitude } else { magnitude }
    }"),
];

/// The function of a binary operation that is no comparison.
pub(crate) fn binary(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "__add",
        BinaryOp::Sub => "__sub",
        BinaryOp::Mul => "__mul",
        BinaryOp::MulHigh => "__mul_high",
        BinaryOp::Div => "__div",
        BinaryOp::Rem => "__rem",
        BinaryOp::And => "__and",
        BinaryOp::Or => "__or",
        BinaryOp::Xor => "__xor",
        BinaryOp::Shl => "__shl",
        BinaryOp::Shr => "__shr",
        BinaryOp::RotateLeft => "__rotate_left",
        BinaryOp::RotateRight => "__rotate_right",
        BinaryOp::Min => "__min",
        BinaryOp::Max => "__max",
        _ => return None,
    })
}

/// The function of a unary operation.
pub(crate) fn unary(op: UnaryOp) -> Option<&'static str> {
    Some(match op {
        UnaryOp::Neg => "__neg",
        UnaryOp::Not => "__not",
        UnaryOp::Abs => "__abs",
        UnaryOp::SwapBytes => "__swap_bytes",
        UnaryOp::ReverseBits => "__reverse_bits",
        UnaryOp::CountOnes => "__count_ones",
        UnaryOp::LeadingZeros => "__leading_zeros",
        UnaryOp::TrailingZeros => "__trailing_zeros",
        _ => return None,
    })
}
