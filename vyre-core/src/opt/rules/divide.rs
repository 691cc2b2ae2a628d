//! Division and remainder of integers. ptxas reduces none of this itself: a division by an
//! immediate costs it as much as any other.
//!
//! By a constant the quotient is a product with the scaled inverse: for `m = ceil(2^k / d)` and
//! the error `e = m*d - 2^k`, `floor(n*m / 2^k)` is the quotient for all `n` with `n*e < 2^k`,
//! because `n*m / 2^k` exceeds `n/d` by `n*e / (d*2^k)`, less than the `1/d` that separates the
//! largest fraction from the next whole number. The signed form follows Granlund and Montgomery,
//! "Division by invariant integers using multiplication".

use vyre_ir::ir::{BinaryOp, Scalar};

use super::super::gvn::Numbering;
use super::{ones, signed};
use crate::ssa::function::unsigned;
use crate::ssa::op::Op;
use crate::ssa::{Ty, Value};

pub(super) fn div(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value) -> Option<Value> {
    if n.function.as_constant(b) == Some(1) {
        return Some(a);
    }
    if let Some((a, b, narrow)) = narrowed(n, scalar, a, b) {
        let quotient = n.binary(BinaryOp::Div, narrow, a, b);
        return Some(if scalar.size() > narrow.size() {
            n.convert(narrow, Scalar::U64, quotient)
        } else {
            quotient
        });
    }
    let divisor = n.function.as_constant(b)?;
    if scalar.is_signed() {
        divide_signed(n, scalar, a, signed(scalar, divisor))
    } else {
        divide_unsigned(n, scalar, a, divisor)
    }
}

pub(super) fn rem(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value) -> Option<Value> {
    if let Some((a, b, narrow)) = narrowed(n, scalar, a, b) {
        let remainder = n.binary(BinaryOp::Rem, narrow, a, b);
        return Some(if scalar.size() > narrow.size() {
            n.convert(narrow, Scalar::U64, remainder)
        } else {
            remainder
        });
    }
    let Some(divisor) = n.function.as_constant(b) else {
        // If the quotient already exists, the remainder is cheap.
        let quotient = Op::Binary {
            op: BinaryOp::Div,
            scalar,
            a,
            b,
        };
        let quotient = n.find(quotient, Ty::of(scalar))?;
        return Some(rest(n, scalar, a, quotient, b));
    };
    if !scalar.is_signed() && divisor.is_power_of_two() {
        return Some(n.binary_with(BinaryOp::And, scalar, a, divisor - 1));
    }
    let quotient = if scalar.is_signed() {
        divide_signed(n, scalar, a, signed(scalar, divisor))?
    } else {
        divide_unsigned(n, scalar, a, divisor)?
    };
    let remainder = rest(n, scalar, a, quotient, b);
    if !scalar.is_signed() {
        // The remainder may be the dividend itself, which is that small only here.
        n.limit_here(remainder, divisor - 1);
    }
    Some(remainder)
}

/// `a - quotient * b`; for a constant as `a + quotient * -b`, which is one multiply-add.
fn rest(n: &mut Numbering<'_>, scalar: Scalar, a: Value, quotient: Value, b: Value) -> Value {
    let word = unsigned(scalar);
    if let Some(divisor) = n.function.as_constant(b) {
        let product = n.binary_with(BinaryOp::Mul, word, quotient, divisor.wrapping_neg() & ones(word));
        return n.binary(BinaryOp::Add, word, a, product);
    }
    let product = n.binary(BinaryOp::Mul, word, quotient, b);
    n.binary(BinaryOp::Sub, word, a, product)
}

/// The operands of a division that can be done unsigned, and in 32 bits, if it is not already.
fn narrowed(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value) -> Option<(Value, Value, Scalar)> {
    if scalar.size() == 8 && n.fits_32(a) && n.fits_32(b) {
        let a = n.convert(Scalar::U64, Scalar::U32, a);
        let b = n.convert(Scalar::U64, Scalar::U32, b);
        return Some((a, b, Scalar::U32));
    }
    if scalar.is_signed() && n.bound(a).max(n.bound(b)) <= ones(scalar) >> 1 {
        return Some((a, b, unsigned(scalar)));
    }
    None
}

fn divide_unsigned(n: &mut Numbering<'_>, scalar: Scalar, a: Value, divisor: u64) -> Option<Value> {
    if divisor == 0 {
        return None;
    }
    if divisor.is_power_of_two() {
        return Some(n.binary_with(BinaryOp::Shr, scalar, a, u64::from(divisor.trailing_zeros())));
    }
    let most = n.bound(a);
    if most < divisor {
        return Some(n.constant(Ty::of(scalar), 0));
    }
    let width = scalar.bits();
    if let Some((factor, shift)) = inverse(width, divisor, most) {
        return Some(multiply_and_shift(n, scalar, a, factor, shift));
    }
    // An even divisor leaves room after its factors of two are divided out.
    let twos = divisor.trailing_zeros();
    if twos != 0
        && let Some((factor, shift)) = inverse(width, divisor >> twos, most >> twos)
    {
        let a = n.binary_with(BinaryOp::Shr, scalar, a, u64::from(twos));
        return Some(multiply_and_shift(n, scalar, a, factor, shift));
    }
    // The factor has one bit too many: n*m / 2^w is t + n with t = n*(m - 2^w) / 2^w, and the
    // sum is halved without carry as (n - t)/2 + t.
    let shift = divisor.ilog2() + 1;
    let power = 1u128 << shift;
    let factor = ((power - u128::from(divisor)) << width) / u128::from(divisor) + 1;
    let product = n.binary_with(BinaryOp::MulHigh, scalar, a, factor as u64);
    let difference = n.binary(BinaryOp::Sub, scalar, a, product);
    let half = n.binary_with(BinaryOp::Shr, scalar, difference, 1);
    let sum = n.binary(BinaryOp::Add, scalar, half, product);
    Some(n.binary_with(BinaryOp::Shr, scalar, sum, u64::from(shift - 1)))
}

/// A factor of `width` bits and a shift above them that are exact for all numbers up to `most`.
fn inverse(width: u32, divisor: u64, most: u64) -> Option<(u64, u32)> {
    let divisor = u128::from(divisor);
    for shift in 0..width {
        let power = 1u128 << (width + shift);
        let factor = power.div_ceil(divisor);
        if factor >> width != 0 {
            return None;
        }
        let error = factor * divisor - power;
        if error.checked_mul(u128::from(most)).is_some_and(|excess| excess < power) {
            return Some((factor as u64, shift));
        }
    }
    None
}

fn multiply_and_shift(n: &mut Numbering<'_>, scalar: Scalar, a: Value, factor: u64, shift: u32) -> Value {
    let product = n.binary_with(BinaryOp::MulHigh, scalar, a, factor);
    n.binary_with(BinaryOp::Shr, scalar, product, u64::from(shift))
}

fn divide_signed(n: &mut Numbering<'_>, scalar: Scalar, a: Value, divisor: i64) -> Option<Value> {
    let word = unsigned(scalar);
    let width = scalar.bits();
    let magnitude = divisor.unsigned_abs();
    let zero = n.constant(Ty::of(scalar), 0);
    match divisor {
        0 => return None,
        1 => return Some(a),
        -1 => return Some(n.binary(BinaryOp::Sub, word, zero, a)),
        _ => {}
    }
    let sign = n.binary_with(BinaryOp::Shr, scalar, a, u64::from(width - 1));
    if magnitude.is_power_of_two() {
        // For a negative dividend, one less than the divisor is added, so that the shift rounds
        // towards zero.
        let power = magnitude.trailing_zeros();
        let bias = n.binary_with(BinaryOp::Shr, word, sign, u64::from(width - power));
        let sum = n.binary(BinaryOp::Add, word, a, bias);
        let quotient = n.binary_with(BinaryOp::Shr, scalar, sum, u64::from(power));
        return Some(if divisor < 0 {
            n.binary(BinaryOp::Sub, word, zero, quotient)
        } else {
            quotient
        });
    }
    let (factor, shift) = inverse_signed(width, magnitude);
    let mut product = n.binary_with(BinaryOp::MulHigh, scalar, a, factor & ones(scalar));
    if signed(scalar, factor & ones(scalar)) < 0 {
        // The factor is 2^w too small.
        product = n.binary(BinaryOp::Add, word, product, a);
    }
    let shifted = n.binary_with(BinaryOp::Shr, scalar, product, u64::from(shift));
    // The shift rounds down; for a negative dividend the quotient is one more.
    Some(if divisor < 0 {
        n.binary(BinaryOp::Sub, word, sign, shifted)
    } else {
        n.binary(BinaryOp::Sub, word, shifted, sign)
    })
}

/// The factor and the shift beyond the width for a signed division.
fn inverse_signed(width: u32, divisor: u64) -> (u64, u32) {
    let divisor = u128::from(divisor);
    let half = 1u128 << (width - 1);
    // The largest number that leaves a remainder of one less than the divisor.
    let critical = half - 1 - half % divisor;
    let mut power = width;
    loop {
        let missing = divisor - (1u128 << power) % divisor;
        if power == 2 * width - 1 || 1u128 << power > critical * missing {
            return ((((1u128 << power) + missing) / divisor) as u64, power - width);
        }
        power += 1;
    }
}

#[cfg(test)]
mod tests;
