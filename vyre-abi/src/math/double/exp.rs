//! Exponential functions.
//!
//! The argument is reduced by a multiple of ln 2 in two parts (W. J. Cody and W. Waite, Software Manual for the
//! Elementary Functions, 1980), a polynomial follows, and the result is scaled by a power of two in two exact steps,
//! so that a subnormal result is rounded once.

/// Added and subtracted, it rounds to an integer, which is then in the low bits: 1.5 * 2^52.
const ROUND: f64 = 6755399441055744.0;
const ROUND_BITS: u64 = 0x4338000000000000;
const LOG2_E: f64 = 1.4426950408889634;
/// ln 2 with 42 bits, so that products with small integers are exact, and the rest.
const LN_2_HIGH: f64 = 0.6931471805598903;
const LN_2_LOW: f64 = 5.497923018708371e-14;
const LOG2_10: f64 = 3.321928094887362;
/// log10(2), likewise.
const LOG10_2_HIGH: f64 = 0.30102999566395283;
const LOG10_2_LOW: f64 = 2.8363394551044964e-14;

/// 2^n, for n from -1022 to 1023.
#[inline(always)]
pub fn power(n: i32) -> f64 {
    f64::from_bits((n.wrapping_add(1023) as u64) << 52)
}

/// x * 2^n, rounded once, for x near 1 and n from -2000 to 2000.
#[inline(always)]
pub fn scaled(x: f64, n: i32) -> f64 {
    let half = n >> 1;
    x * power(half) * power(n - half)
}

/// The integer in a number to which [`ROUND`] has been added.
#[inline(always)]
pub fn integer(shifted: f64) -> i32 {
    shifted.to_bits().wrapping_sub(ROUND_BITS) as i32
}

/// (e^r - 1 - r) / r^2 for |r| up to 0.347.
#[inline(always)]
pub fn series(r: f64) -> f64 {
    let q = 2.5112702255165766e-8f64;
    let q = q.mul_add(r, 2.763111124609594e-7);
    let q = q.mul_add(r, 2.755723276491424e-6);
    let q = q.mul_add(r, 2.480149052576471e-5);
    let q = q.mul_add(r, 1.9841269898739184e-4);
    let q = q.mul_add(r, 1.388888894632025e-3);
    let q = q.mul_add(r, 8.333333333315936e-3);
    let q = q.mul_add(r, 4.166666666651876e-2);
    let q = q.mul_add(r, 1.6666666666666685e-1);
    q.mul_add(r, 5.000000000000012e-1)
}

/// e^(x + low) as p * 2^n, with p from 0.7 to 1.42. For |x| up to 2^20, and |low| far
/// below 1; -0.0 adds nothing.
#[inline(always)]
pub fn parts(x: f64, low: f64) -> (f64, i32) {
    let shifted = x.mul_add(LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = (-n).mul_add(LN_2_HIGH, x);
    let r = (-n).mul_add(LN_2_LOW, r) + low;
    let q = series(r);
    (r.mul_add(q.mul_add(r, 1.0), 1.0), integer(shifted))
}

/// (e^a + e^-a) / 2 for the sign 1, (e^a - e^-a) / 2 for -1; for a from 1.
#[inline(always)]
pub fn half_sum(a: f64, sign: f64) -> f64 {
    let a = if a > 710.5 { 710.5 } else { a };
    let shifted = a.mul_add(LOG2_E, ROUND);
    let n = shifted - ROUND;
    let high = (-n).mul_add(LN_2_HIGH, a);
    let r = (-n).mul_add(LN_2_LOW, high);
    // e^r = 1 + r + tail, with the rounding error of r.
    let low = (-n).mul_add(LN_2_LOW, high - r);
    let tail = (r * r).mul_add(series(r), low);
    // A quarter of e^a is a number wherever the result is one. The small terms come first.
    let quarter = power(integer(shifted).wrapping_sub(2));
    let inverse = sign * 0.0625 / ((1.0 + (r + tail)) * quarter);
    2.0 * (quarter + r.mul_add(quarter, tail.mul_add(quarter, inverse)))
}

/// e^x.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -750.0 { -750.0 } else { x };
    let (p, n) = parts(x, -0.0);
    scaled(p, n)
}

/// 2^x.
#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    let x = if x > 1025.0 { 1025.0 } else { x };
    let x = if x < -1080.0 { -1080.0 } else { x };
    let shifted = x + ROUND;
    let r = x - (shifted - ROUND);
    let p = 2.551686359813318e-11f64;
    let p = p.mul_add(r, 4.4752935611202783e-10);
    let p = p.mul_add(r, 7.055064103475661e-9);
    let p = p.mul_add(r, 1.0177918989906511e-7);
    let p = p.mul_add(r, 1.3215486313279604e-6);
    let p = p.mul_add(r, 1.5252734199398757e-5);
    let p = p.mul_add(r, 1.540353039405594e-4);
    let p = p.mul_add(r, 1.3333558145998707e-3);
    let p = p.mul_add(r, 9.618129107628048e-3);
    let p = p.mul_add(r, 5.550410866482352e-2);
    let p = p.mul_add(r, 2.4022650695910072e-1);
    let p = p.mul_add(r, 6.931471805599453e-1);
    scaled(p.mul_add(r, 1.0), integer(shifted))
}

/// 10^x.
#[inline(always)]
pub fn exp10(x: f64) -> f64 {
    let x = if x > 309.0 { 309.0 } else { x };
    let x = if x < -330.0 { -330.0 } else { x };
    let shifted = x.mul_add(LOG2_10, ROUND);
    let n = shifted - ROUND;
    let r = (-n).mul_add(LOG10_2_HIGH, x);
    let r = (-n).mul_add(LOG10_2_LOW, r);
    let p = 4.567993485374011e-5f64;
    let p = p.mul_add(r, 2.387902210637017e-4);
    let p = p.mul_add(r, 1.154553027679741e-3);
    let p = p.mul_add(r, 5.014129976487883e-3);
    let p = p.mul_add(r, 1.959769316253797e-2);
    let p = p.mul_add(r, 6.808936033821728e-2);
    let p = p.mul_add(r, 2.0699584871534002e-1);
    let p = p.mul_add(r, 5.39382929243358e-1);
    let p = p.mul_add(r, 1.1712551489121616);
    let p = p.mul_add(r, 2.0346785922932824);
    let p = p.mul_add(r, 2.650949055239199);
    let p = p.mul_add(r, 2.302585092994046);
    scaled(p.mul_add(r, 1.0), integer(shifted))
}

/// e^x - 1.
#[inline(always)]
pub fn exp_m1(x: f64) -> f64 {
    let y = if x > 710.0 { 710.0 } else { x };
    let y = if y < -60.0 { -60.0 } else { y };
    let shifted = y.mul_add(LOG2_E, ROUND);
    // Up to ln(3/2), beyond ln(2) / 2: a result below 1/2 is not the difference of larger terms.
    let is_near = y.abs() < 0.4055;
    let n = if is_near { 0.0 } else { shifted - ROUND };
    let high = (-n).mul_add(LN_2_HIGH, y);
    let r = (-n).mul_add(LN_2_LOW, high);
    // The rounding error of r.
    let low = (-n).mul_add(LN_2_LOW, high - r);
    let q = 2.0931200725071716e-9f64;
    let q = q.mul_add(r, 2.513109459810277e-8);
    let q = q.mul_add(r, 2.755722538980753e-7);
    let q = q.mul_add(r, 2.7557174748414207e-6);
    let q = q.mul_add(r, 2.4801587370812418e-5);
    let q = q.mul_add(r, 1.9841269961346465e-4);
    let q = q.mul_add(r, 1.3888888888870072e-3);
    let q = q.mul_add(r, 8.33333333328968e-3);
    let q = q.mul_add(r, 4.166666666666667e-2);
    let q = q.mul_add(r, 1.6666666666666718e-1);
    let q = q.mul_add(r, 5.0e-1);
    let tail = (r * r).mul_add(q, low);
    // (1 + r + tail) 2^n - 1, halved because 2^1024 is no number.
    let half = power(integer(shifted).wrapping_sub(1));
    let base = half - 0.5;
    let sum = r.mul_add(half, base);
    let cut = r.mul_add(half, base - sum) + ((half - base) - 0.5);
    if !is_near {
        2.0 * (sum + tail.mul_add(half, cut))
    } else if x == 0.0 {
        // The sum loses the sign of -0.
        x
    } else {
        r + tail
    }
}
