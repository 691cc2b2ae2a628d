//! The error function, its complement, and the normal distribution.

use super::exp::{parts, scaled};

/// The error function: 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x.
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    let a = x.abs();
    if a < 0.98 {
        let z = x * x;
        let p = -8.529539e-6f32;
        let p = p.mul_add(z, 1.0845839e-4);
        let p = p.mul_add(z, -8.421983e-4);
        let p = p.mul_add(z, 5.216355e-3);
        let p = p.mul_add(z, -2.6863543e-2);
        let p = p.mul_add(z, 1.12837434e-1);
        let p = p.mul_add(z, -3.7612635e-1);
        let p = p.mul_add(z, 1.2837917e-1);
        return p.mul_add(x, x);
    }
    // 1 - e^-p, where p is -ln erfc.
    let t = if a > 4.0 { 4.0 } else { a };
    let p = -9.319381e-9f32;
    let p = p.mul_add(t, 2.181362e-5);
    let p = p.mul_add(t, -4.4208163e-4);
    let p = p.mul_add(t, 4.207034e-3);
    let p = p.mul_add(t, -2.5213314e-2);
    let p = p.mul_add(t, 1.084251e-1);
    let p = p.mul_add(t, 6.332147e-1);
    let p = p.mul_add(t, 1.1295807);
    let high = p * t;
    let low = p.mul_add(t, -high) - 1.8848394e-4;
    let (e, n) = parts(-high, -low);
    let y = 1.0 - scaled(e, n);
    if x.is_nan() { x } else { y.copysign(x) }
}

/// e^(x^2) erfc(x), for x from 0.
///
/// By a polynomial in (x - 4) / (x + 4) of (1 + 2x) times it (M. M. Shepherd and J. G. Laframboise, Chebyshev
/// approximation of (1 + 2x) exp(x^2) erfc x, 1981).
#[inline(always)]
pub fn erfcx(x: f32) -> f32 {
    let t = (x - 4.0) / (x + 4.0);
    let p = 6.741116e-5f32;
    let p = p.mul_add(t, -4.2130364e-4);
    let p = p.mul_add(t, -9.092603e-4);
    let p = p.mul_add(t, 5.063317e-3);
    let p = p.mul_add(t, -1.6122397e-2);
    let p = p.mul_add(t, 3.718373e-2);
    let p = p.mul_add(t, -6.634134e-2);
    let p = p.mul_add(t, 9.372865e-2);
    let p = p.mul_add(t, -1.01038545e-1);
    let p = p.mul_add(t, 6.809737e-2);
    let p = p.mul_add(t, 1.537965e-2);
    let p = p.mul_add(t, -1.3962112e-1);
    // The first coefficient in two parts: it is the result at 4.
    let p = p.mul_add(t, -3.3847897e-8) + 1.2329952;
    p / (1.0 + 2.0 * x)
}

/// 1 - erf(x), without the loss of digits for large x.
#[inline(always)]
pub fn erfc(x: f32) -> f32 {
    if x < 0.5 {
        return 1.0 - erf(x);
    }
    // x^2 in two parts.
    let x = if x > 11.0 { 11.0 } else { x };
    let square = x * x;
    let (p, n) = parts(-square, -x.mul_add(x, -square));
    scaled(p * erfcx(x), n)
}

/// [`normal_cdf`] as p * 2^n.
#[inline(always)]
pub fn normal_parts(x: f32) -> (f32, i32) {
    // erfc(-x / sqrt(2)) / 2, where the rounding of the argument would count 2 x^2 times.
    let high = x * -0.70710677;
    let low = x.mul_add(-0.70710677, -high) + x * -1.2101617e-8;
    if high < 0.5 {
        return (0.5 - 0.5 * erf(high), 0);
    }
    let x = if high > 11.0 { 11.0 } else { high };
    let low = if high > 11.0 { 0.0 } else { low };
    let square = x * x;
    let tail = x.mul_add(x, -square) + 2.0 * x * low;
    let (p, n) = parts(-square, -tail);
    (p * erfcx(x), n - 1)
}

/// The probability that a normally distributed number with mean 0 and variance 1 is less than x.
#[inline(always)]
pub fn normal_cdf(x: f32) -> f32 {
    let (p, n) = normal_parts(x);
    scaled(p, n)
}
