//! Logarithms.
//!
//! x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), and log(1 + f) is f and a smaller rest. The first term is exact, so the rounding
//! of the others counts little.

const LN_2: f64 = 0.6931471805599453;
const LN_2_LOW: f64 = 2.3190468138462996e-17;
const LOG2_E_HIGH: f64 = 1.4426950408889634;
const LOG2_E_LOW: f64 = 2.0355273740931033e-17;
const LOG10_E_HIGH: f64 = 0.4342944819032518;
const LOG10_E_LOW: f64 = 1.098319650216765e-17;
/// log10(2) with 42 bits, and the rest.
const LOG10_2_HIGH: f64 = 0.30102999566395283;
const LOG10_2_LOW: f64 = 2.8363394551044964e-14;
/// The bits of sqrt(1/2): subtracted, the exponent is that of a power of two that leaves sqrt(1/2) to sqrt(2).
const ROOT_HALF: u64 = 0x3fe6a09e667f3bcd;
const EXPONENT: u64 = 0xfff0000000000000;

/// (f, k) of a positive finite number.
#[inline(always)]
pub fn split(x: f64) -> (f64, f64) {
    let is_small = x < f64::MIN_POSITIVE;
    let bits = (if is_small { x * 18014398509481984.0 } else { x }).to_bits();
    let exponent = bits.wrapping_sub(ROOT_HALF) & EXPONENT;
    let k = (exponent as i64 >> 52) as f64;
    let f = f64::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    (f, if is_small { k - 54.0 } else { k })
}

/// s (f^2 / 2 + r), of ln(1 + f) = f - f^2 / 2 + s (f^2 / 2 + r), for f from -0.293 to 0.414.
///
/// With s = f / (2 + f) the logarithm is 2 atanh s = f - s (f - r), where r = 2 (s^2 / 3 + s^4 / 5 + ..), and f s is
/// f^2 / 2 - s f^2 / 2.
#[inline(always)]
pub fn series(f: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let p = 6.617507608179075e-2f64;
    let p = p.mul_add(z, 6.626061232096205e-2);
    let p = p.mul_add(z, 7.693494968886355e-2);
    let p = p.mul_add(z, 9.090889166227263e-2);
    let p = p.mul_add(z, 1.1111111303608891e-1);
    let p = p.mul_add(z, 1.428571428470492e-1);
    let p = p.mul_add(z, 2.0000000000002463e-1);
    let p = p.mul_add(z, 3.333333333333333e-1);
    s * (2.0 * z).mul_add(p, 0.5 * f * f)
}

/// ln(1 + f) - f, for f from -0.293 to 0.414.
#[inline(always)]
pub fn rest(f: f64) -> f64 {
    series(f) - 0.5 * f * f
}

/// ln(1 + f) as a sum of two numbers, the second one small, for f from -0.293 to 0.414.
#[inline(always)]
pub fn sum(f: f64) -> (f64, f64) {
    let square = f * f;
    let high = (-0.5f64).mul_add(square, f);
    // The rounding errors of the square and of the sum.
    let cut = (-0.5f64).mul_add(square, f - high) - 0.5 * f.mul_add(f, -square);
    (high, series(f) + cut)
}

/// The result for all arguments, where this one is that for positive finite ones.
#[inline(always)]
pub fn with_edges(x: f64, result: f64) -> f64 {
    if x > 0.0 && x < f64::INFINITY {
        result
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else if x < 0.0 {
        f64::NAN
    } else {
        x
    }
}

/// ln x.
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    let (f, k) = split(x);
    with_edges(x, k.mul_add(LN_2, f + k.mul_add(LN_2_LOW, rest(f))))
}

/// log2 x.
#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let (f, k) = split(x);
    let (most, rest) = sum(f);
    let low = most.mul_add(LOG2_E_LOW, rest * LOG2_E_HIGH);
    let high = most * LOG2_E_HIGH;
    let low = low + most.mul_add(LOG2_E_HIGH, -high);
    let whole = k + high;
    // The rounding error of the sum: |k| is the larger one, or 0.
    let cut = high - (whole - k);
    with_edges(x, whole + (cut + low))
}

/// log10 x.
#[inline(always)]
pub fn log10(x: f64) -> f64 {
    let (f, k) = split(x);
    let (most, rest) = sum(f);
    let low = most.mul_add(LOG10_E_LOW, rest * LOG10_E_HIGH);
    let high = most * LOG10_E_HIGH;
    let low = k.mul_add(LOG10_2_LOW, low + most.mul_add(LOG10_E_HIGH, -high));
    let twos = k * LOG10_2_HIGH;
    let whole = twos + high;
    let cut = high - (whole - twos);
    with_edges(x, whole + (cut + low))
}

/// ln(1 + x).
#[inline(always)]
pub fn ln_1p(x: f64) -> f64 {
    let result = ln_1p_finite(x, 0.0);
    if x > -1.0 && x < f64::INFINITY && x != 0.0 {
        result
    } else if x == -1.0 {
        f64::NEG_INFINITY
    } else if x < -1.0 {
        f64::NAN
    } else {
        x
    }
}

/// ln(1 + x + low), for finite x above -1.
#[inline(always)]
pub fn ln_1p_finite(x: f64, low: f64) -> f64 {
    let exponent = (1.0 + x).to_bits().wrapping_sub(ROOT_HALF) & EXPONENT;
    let k = (exponent as i64 >> 52) as f64;
    // f = (1 + x) 2^-k - 1 as two exact terms, where 2^-k may be less than the least normal number.
    let quadruple = f64::from_bits(0x4010000000000000u64.wrapping_sub(exponent));
    let one = quadruple.mul_add(0.25, -1.0);
    let scaled = x * quadruple * 0.25;
    let f = one + scaled;
    let cut = (scaled - (f - one)) + low * quadruple * 0.25;
    // The derivative of the logarithm at f is about 1 - f.
    let tail = (-f).mul_add(cut, k.mul_add(LN_2_LOW, cut));
    k.mul_add(LN_2, f + (rest(f) + tail))
}

/// The logarithm of x to a base.
#[inline(always)]
pub fn log(x: f64, base: f64) -> f64 {
    ln(x) / ln(base)
}
