//! Powers.
//!
//! The logarithm of the base is a sum of two numbers, with 2 atanh((m - 1) / (m + 1)) for its mantissa: about 12 more
//! bits than `f32` has, since the exponent multiplies its error. T. J. Dekker's exact sums and products (A
//! floating-point technique for extending the available precision, 1971) by `mul_add`.

use super::exp::{parts, scaled};
use crate::math::normal::normal_recip;

const LN_2: f32 = 0.6931472;
const LN_2_LOW: f32 = -1.9046542e-9;
const THIRD: f32 = 0.33333334;
const THIRD_LOW: f32 = -9.934108e-9;
/// The bits of sqrt(1/2).
const ROOT_HALF: u32 = 0x3f3504f3;

/// ln x as a sum of two numbers, for positive finite x.
#[inline(always)]
pub fn ln_sum(x: f32) -> (f32, f32) {
    let is_small = x < f32::MIN_POSITIVE;
    let bits = (if is_small { x * 8388608.0 } else { x }).to_bits();
    let exponent = bits.wrapping_sub(ROOT_HALF) & 0xff800000;
    let k = (exponent as i32 >> 23) as f32;
    let k = if is_small { k - 23.0 } else { k };
    let m = f32::from_bits(bits.wrapping_sub(exponent));
    // s + s_low = (m - 1) / (m + 1)
    let top = m - 1.0;
    let below = m + 1.0;
    let below_low = m - (below - 1.0);
    let inverse = normal_recip(below);
    let s = top * inverse;
    let s_low = ((-s).mul_add(below, top) - s * below_low) * inverse;
    // atanh s = s + s^3 / 3 + ..
    let z = s * s;
    let z_low = s.mul_add(s, -z) + 2.0 * s * s_low;
    let p = 1.1710005e-1f32;
    let p = p.mul_add(z, 1.427354e-1);
    let p = p.mul_add(z, 2.0000076e-1);
    // q = z / 3 + z^2 p
    let q = z * THIRD;
    let q_low = z.mul_add(THIRD, -q) + z.mul_add(THIRD_LOW, z_low * THIRD);
    let q_low = (z * z).mul_add(p, q_low);
    // t = s q
    let t = s * q;
    let t_low = s.mul_add(q, -t) + s.mul_add(q_low, s_low * q);
    // k ln 2 + 2 (s + t)
    let high = k * LN_2;
    let high_low = k.mul_add(LN_2, -high) + k * LN_2_LOW;
    let sum = high + 2.0 * s;
    let cut = if k == 0.0 { 0.0 } else { 2.0 * s - (sum - high) };
    let whole = sum + 2.0 * t;
    let cut = cut + (2.0 * t - (whole - sum));
    let rest = cut + (high_low + 2.0 * (s_low + t_low));
    let ln = whole + rest;
    (ln, rest - (ln - whole))
}

/// x^(y + low) for positive finite x and finite y.
#[inline(always)]
pub fn positive(x: f32, y: f32, low: f32) -> f32 {
    let (ln, ln_low) = ln_sum(x);
    let product = y * ln;
    let tail = y.mul_add(ln, -product) + y.mul_add(ln_low, low * ln);
    let is_far = product.abs() > 110.0;
    let product = if product > 110.0 { 110.0 } else { product };
    let product = if product < -110.0 { -110.0 } else { product };
    let (p, n) = parts(product, if is_far { 0.0 } else { tail });
    scaled(p, n)
}

/// x^y for finite positive x or none, where y is 0 or |x| is 1, 0 or infinite, or one is a NaN.
#[inline(always)]
pub fn edges(a: f32, y: f32, result: f32) -> f32 {
    if y == 0.0 || a == 1.0 {
        1.0
    } else if a.is_nan() || y.is_nan() {
        a + y
    } else if y.abs() == f32::INFINITY {
        if (a > 1.0) == (y > 0.0) { f32::INFINITY } else { 0.0 }
    } else if a == 0.0 || a == f32::INFINITY {
        if (a == 0.0) == (y < 0.0) { f32::INFINITY } else { 0.0 }
    } else {
        result
    }
}

/// x^y.
#[inline(always)]
pub fn powf(x: f32, y: f32) -> f32 {
    let a = x.abs();
    let result = edges(a, y, positive(a, y, 0.0));
    let is_integer = y.trunc() == y;
    let is_odd = is_integer && (y * 0.5).trunc() * 2.0 != y;
    if x.is_sign_negative() {
        if is_odd {
            -result
        } else if !is_integer && x != 0.0 && a < f32::INFINITY {
            f32::NAN
        } else {
            result
        }
    } else if x == 1.0 {
        1.0
    } else {
        result
    }
}

/// x^n.
#[inline(always)]
pub fn powi(x: f32, n: i32) -> f32 {
    let a = x.abs();
    let y = n as f32;
    let low = n.wrapping_sub(y as i32) as f32;
    let result = edges(a, y, positive(a, y, low));
    if x.is_sign_negative() && n & 1 == 1 {
        -result
    } else {
        result
    }
}
