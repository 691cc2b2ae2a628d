//! The gamma function and its logarithm.
//!
//! By Stirling's formula, ln gamma(z) = (z - 1/2) (ln z - 1) - 1/2 + ln(2 pi) / 2 and a rest that a polynomial in 1/z
//! has from 1 on, in sums of two numbers where the logarithm is small; below 1 by gamma(x) = gamma(1 + x) / x, and below 0 by
//! gamma(x) gamma(1 - x) = pi / sin(pi x).

use super::exp::{parts, scaled};
use super::log::{normal_split, rest};
use super::pow::ln_sum;
use super::trig::sin_pi;
use crate::math::normal::normal_recip;

const PI: f32 = 3.1415927;
/// ln 2 / 2^23
const LN_2: f32 = 8.262958e-8;
const LN_PI: f32 = 1.1447299;
const LN_PI_LOW: f32 = 3.317301e-8;
/// (ln(2 pi) - 1) / 2
const OFFSET: f32 = 0.41893855;
const OFFSET_LOW: f32 = -1.4168145e-8;

/// a + b, and what its rounding has cut off.
#[inline(always)]
pub fn two_sum(a: f32, b: f32) -> (f32, f32) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// ln gamma(z + low) as a sum of two numbers, for finite z from 1; its absolute error is small, also where it is near 0.
#[inline(always)]
pub fn stirling(z: f32, low: f32) -> (f32, f32) {
    let t = normal_recip(z);
    let p = -3.4991535e-5f32;
    let p = p.mul_add(t, 2.6743e-4);
    let p = p.mul_add(t, -8.2391675e-4);
    let p = p.mul_add(t, 1.1921868e-3);
    let p = p.mul_add(t, -1.1062952e-4);
    let p = p.mul_add(t, -2.760699e-3);
    let p = p.mul_add(t, -1.2785634e-6);
    let p = p.mul_add(t, 8.3333366e-2);
    let (ln, ln_low) = ln_sum(z);
    // Exact from 1/2 on, and below it 1 is the larger term.
    let factor = ln - 1.0;
    let factor_low = ln - (factor + 1.0) + ln_low;
    // Exact, since a z from 2^23 on is an integer only because low has the rest.
    let y = z - 0.5;
    let product = y * factor;
    let product_low = y.mul_add(factor, -product) + y.mul_add(factor_low, low * factor);
    // The derivative of the logarithm makes low count once more, but for 1/2.
    let product_low = product_low + low * (-0.5f32).mul_add(t, 1.0);
    let (sum, cut) = two_sum(product, OFFSET);
    let rest = t.mul_add(p, product_low + cut + OFFSET_LOW);
    // The rest is the larger term only where the sum is near 0, which cuts off nothing or little.
    let whole = sum + rest;
    (whole, rest - (whole - sum))
}

/// ln gamma(x) for finite x from 3, where its logarithm need not be a sum.
#[inline(always)]
pub fn far_ln_gamma(x: f32) -> f32 {
    let t = normal_recip(x);
    let z = t * t;
    let p = 6.972407e-4f32;
    let p = p.mul_add(z, -2.7728095e-3);
    let p = p.mul_add(z, 8.333327e-2);
    let (f, k) = normal_split(x);
    // ln x - 1, whose terms cancel where x is small.
    let factor = k.mul_add(LN_2, -1.0) + (f + rest(f));
    (x - 0.5).mul_add(factor, t.mul_add(p, OFFSET))
}

/// 1 + a, and what its rounding has cut off, for a from 0.
#[inline(always)]
pub fn above_one(a: f32) -> (f32, f32) {
    let z = 1.0 + a;
    (z, if a > 1.0 { 1.0 - (z - a) } else { a - (z - 1.0) })
}

/// The gamma function; NaN for negative integers.
#[inline(always)]
pub fn gamma(x: f32) -> f32 {
    let a = x.abs();
    let (z, low) = if x < 1.0 { above_one(a) } else { (x, 0.0) };
    // The result is then infinite or 0.
    let is_far = z > 50.0;
    let (ln, rest) = stirling(if is_far { 50.0 } else { z }, if is_far { 0.0 } else { low });
    let (p, n) = parts(ln, rest);
    if a < 1.0e-8 {
        1.0 / x
    } else if x >= 1.0 {
        scaled(p, n)
    } else if x > 0.0 {
        scaled(p, n) / x
    } else if x == x.trunc() {
        f32::NAN
    } else {
        scaled(PI / (sin_pi(x) * p), n.wrapping_neg())
    }
}

/// ln gamma(2 + t) / t, for t from -1 to 1.
#[inline(always)]
pub fn near_two(t: f32) -> f32 {
    let p = 1.0087931e-5f32;
    let p = p.mul_add(t, -2.9950137e-5);
    let p = p.mul_add(t, 1.1652618e-5);
    let p = p.mul_add(t, 6.716417e-7);
    let p = p.mul_add(t, 1.0542138e-4);
    let p = p.mul_add(t, -2.686112e-4);
    let p = p.mul_add(t, 5.0795724e-4);
    let p = p.mul_add(t, -1.1700563e-3);
    let p = p.mul_add(t, 2.8905913e-3);
    let p = p.mul_add(t, -7.390998e-3);
    let p = p.mul_add(t, 2.058085e-2);
    let p = p.mul_add(t, -6.7351796e-2);
    let p = p.mul_add(t, 3.2246703e-1);
    p.mul_add(t, 4.2278433e-1)
}

/// The logarithm of the absolute value of the gamma function, and the sign of that, 1 or -1.
#[inline(always)]
pub fn ln_gamma(x: f32) -> (f32, i32) {
    let a = x.abs();
    if x == 0.0 || a == f32::INFINITY || x.is_nan() {
        let sign = if x == 0.0 && x.is_sign_negative() { -1 } else { 1 };
        return (if x.is_nan() { x } else { f32::INFINITY }, sign);
    }
    // gamma(x) is 1/x near 0.
    let is_tiny = a < 1.0e-8;
    if is_tiny || x > 0.0 && x < 1.5 {
        let (ln, rest) = ln_sum(a);
        let t = x - 1.0;
        let p = if is_tiny { 0.0 } else { near_two(t) };
        let product = t * p;
        let (sum, cut) = two_sum(product, -ln);
        let y = sum + (cut + (t.mul_add(p, -product) - rest));
        return (y, if x < 0.0 { -1 } else { 1 });
    }
    if x > 0.0 {
        // The product may be infinite.
        return (
            if x < 3.0 {
                (x - 2.0) * near_two(x - 2.0)
            } else {
                far_ln_gamma(x)
            },
            1,
        );
    }
    if x == x.trunc() {
        return (f32::INFINITY, 1);
    }
    let (z, low) = above_one(a);
    let (ln, rest) = stirling(z, low);
    let sine = sin_pi(x);
    let (of_sine, of_sine_low) = ln_sum(sine.abs());
    let (sum, first) = two_sum(LN_PI, -of_sine);
    let (sum, second) = two_sum(sum, -ln);
    let y = sum + (first + second + (LN_PI_LOW - of_sine_low - rest));
    (y, if sine < 0.0 { -1 } else { 1 })
}
