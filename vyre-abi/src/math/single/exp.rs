//! Exponential functions.
//!
//! The argument is reduced by a multiple of ln 2 in two parts (W. J. Cody and W. Waite, Software Manual for the
//! Elementary Functions, 1980), and a polynomial follows. Where the result is normal the multiple is added to its
//! exponent; elsewhere the result is scaled by a power of two in two steps, so that a subnormal one is rounded once.

/// Added and subtracted, it rounds to an integer, which is then in the low bits: 1.5 * 2^23.
const ROUND: f32 = 12582912.0;
const ROUND_BITS: u32 = 0x4b400000;
const LOG2_E: f32 = 1.442695;
/// ln 2 with 16 bits, so that products with small integers are exact, and the rest.
const LN_2_HIGH: f32 = 0.69314575;
const LN_2_LOW: f32 = 1.4286068e-6;
const LOG2_10: f32 = 3.321928;
/// log10(2), likewise.
const LOG10_2_HIGH: f32 = 0.30103302;
const LOG10_2_LOW: f32 = -3.0243555e-6;

/// 2^n, for n from -126 to 127.
#[inline(always)]
pub fn power(n: i32) -> f32 {
    f32::from_bits(((n + 127) << 23) as u32)
}

/// x * 2^n, rounded once, for x near 1 and n from -250 to 250.
#[inline(always)]
pub fn scaled(x: f32, n: i32) -> f32 {
    let half = n >> 1;
    x * power(half) * power(n - half)
}

/// x * 2^n, which is normal, for x near 1; only the lowest 9 bits of n + ROUND_BITS count, so the bits of a number to
/// which [`ROUND`] has been added are as good as n.
#[inline(always)]
pub fn times_power(x: f32, n: u32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_add(n << 23))
}

/// x * 2^n, rounded once, as by [`times_power`]; for n from -190 to 0, or from 0 to 190.
#[inline(always)]
pub fn times_rare_power(x: f32, n: u32, is_small: bool) -> f32 {
    // 2^64 times or 2^-64 times as large first: 448 is -64 modulo 512.
    let (more, back) = if is_small {
        (64, 5.421010862427522e-20)
    } else {
        (448, 1.8446744073709552e19)
    };
    times_power(x, n.wrapping_add(more)) * back
}

/// The integer in a number to which [`ROUND`] has been added.
#[inline(always)]
pub fn integer(shifted: f32) -> i32 {
    shifted.to_bits().wrapping_sub(ROUND_BITS) as i32
}

/// e^(x + low) as p and a number to which [`ROUND`] and n have been added: p * 2^n, with p from 0.7 to 1.42. For |x| up
/// to 2^20, and |low| far below 1; -0.0 adds nothing.
#[inline(always)]
pub fn shifted_parts(x: f32, low: f32) -> (f32, f32) {
    let shifted = x.mul_add(LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = (-n).mul_add(LN_2_HIGH, x);
    let r = (-n).mul_add(LN_2_LOW, r) + low;
    let q = 1.3922504e-3f32;
    let q = q.mul_add(r, 8.369287e-3);
    let q = q.mul_add(r, 4.1666582e-2);
    let q = q.mul_add(r, 1.6666515e-1);
    let q = q.mul_add(r, 0.5);
    (r.mul_add(q.mul_add(r, 1.0), 1.0), shifted)
}

/// e^(x + low) as p * 2^n, as by [`shifted_parts`].
#[inline(always)]
pub fn parts(x: f32, low: f32) -> (f32, i32) {
    let (p, shifted) = shifted_parts(x, low);
    (p, integer(shifted))
}

/// e^x for |x| up to 87.
#[inline(always)]
pub fn normal_exp(x: f32) -> f32 {
    let (p, shifted) = shifted_parts(x, -0.0);
    times_power(p, shifted.to_bits())
}

/// e^x.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let (p, shifted) = shifted_parts(x, -0.0);
    if x.abs() < 87.0 {
        times_power(p, shifted.to_bits())
    } else if x.abs() < 105.0 {
        times_rare_power(p, shifted.to_bits(), x < 0.0)
    } else {
        far_power(x)
    }
}

/// The result for x so large that it is 0 or infinite; a NaN remains.
#[inline(always)]
pub fn far_power(x: f32) -> f32 {
    if x < 0.0 { 0.0 } else { x * f32::INFINITY }
}

/// 2^x as p and a number to which [`ROUND`] and n have been added: p * 2^n.
#[inline(always)]
pub fn shifted_parts_2(x: f32) -> (f32, f32) {
    let shifted = x + ROUND;
    let r = x - (shifted - ROUND);
    let p = 1.545646e-4f32;
    let p = p.mul_add(r, 1.339173e-3);
    let p = p.mul_add(r, 9.618077e-3);
    let p = p.mul_add(r, 5.550358e-2);
    let p = p.mul_add(r, 2.402265e-1);
    let p = p.mul_add(r, 6.931472e-1);
    (p.mul_add(r, 1.0), shifted)
}

/// 2^x.
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    let (p, shifted) = shifted_parts_2(x);
    if x.abs() < 125.0 {
        times_power(p, shifted.to_bits())
    } else if x.abs() < 152.0 {
        times_rare_power(p, shifted.to_bits(), x < 0.0)
    } else {
        far_power(x)
    }
}

/// 10^x as p and a number to which [`ROUND`] and n have been added: p * 2^n.
#[inline(always)]
pub fn shifted_parts_10(x: f32) -> (f32, f32) {
    let shifted = x.mul_add(LOG2_10, ROUND);
    let n = shifted - ROUND;
    let r = (-n).mul_add(LOG10_2_HIGH, x);
    let r = (-n).mul_add(LOG10_2_LOW, r);
    let p = 2.0749995e-1f32;
    let p = p.mul_add(r, 5.4185224e-1);
    let p = p.mul_add(r, 1.171256);
    let p = p.mul_add(r, 2.0346556);
    let p = p.mul_add(r, 2.650949);
    let p = p.mul_add(r, 2.3025851);
    (p.mul_add(r, 1.0), shifted)
}

/// 10^x.
#[inline(always)]
pub fn exp10(x: f32) -> f32 {
    let (p, shifted) = shifted_parts_10(x);
    if x.abs() < 37.5 {
        times_power(p, shifted.to_bits())
    } else if x.abs() < 46.0 {
        times_rare_power(p, shifted.to_bits(), x < 0.0)
    } else {
        far_power(x)
    }
}

/// e^x - 1.
#[inline(always)]
pub fn exp_m1(x: f32) -> f32 {
    let y = if x > 89.0 { 89.0 } else { x };
    let y = if y < -40.0 { -40.0 } else { y };
    let shifted = y.mul_add(LOG2_E, ROUND);
    let n = shifted - ROUND;
    let high = (-n).mul_add(LN_2_HIGH, y);
    let r = (-n).mul_add(LN_2_LOW, high);
    // The rounding error of r.
    let low = (-n).mul_add(LN_2_LOW, high - r);
    let q = 1.9958294e-4f32;
    let q = q.mul_add(r, 1.3933966e-3);
    let q = q.mul_add(r, 8.333192e-3);
    let q = q.mul_add(r, 4.1666478e-2);
    let q = q.mul_add(r, 1.6666667e-1);
    let q = q.mul_add(r, 0.5);
    let tail = (r * r).mul_add(q, low);
    // (1 + r + tail) 2^n - 1, halved because 2^128 is no number.
    let half = power(integer(shifted) - 1);
    let base = half - 0.5;
    let sum = r.mul_add(half, base);
    let cut = r.mul_add(half, base - sum) + ((half - base) - 0.5);
    if n != 0.0 {
        2.0 * (sum + tail.mul_add(half, cut))
    } else {
        // The sum loses the sign of -0.
        (r + tail).copysign(x)
    }
}
