//! The gamma function and its logarithm.
//!
//! By Stirling's formula, ln gamma(z) = (z - 1/2) (ln z - 1) - 1/2 + ln(2 pi) / 2 and a rest that a polynomial in 1/z
//! has from 1 on, in sums of two numbers; below 1 by gamma(x) = gamma(1 + x) / x, and below 0 by
//! gamma(x) gamma(1 - x) = pi / sin(pi x).

use super::exp::{parts, scaled};
use super::pow::ln_sum;
use super::trig::sin_pi;

const PI: f64 = 3.141592653589793;
const LN_PI: f64 = 1.1447298858494002;
const LN_PI_LOW: f64 = 1.0265951162707826e-17;
/// (ln(2 pi) - 1) / 2
const OFFSET: f64 = 0.4189385332046727;
const OFFSET_LOW: f64 = 1.6728209650585413e-17;

/// a + b, and what its rounding has cut off.
#[inline(always)]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// ln gamma(z + low) as a sum of two numbers, for finite z from 1; its absolute error is small, also where it is near 0.
#[inline(always)]
pub fn stirling(z: f64, low: f64) -> (f64, f64) {
    let t = 1.0 / z;
    let p = -7.516541699597765e-5f64;
    let p = p.mul_add(t, 8.256970734597037e-4);
    let p = p.mul_add(t, -4.180286452870885e-3);
    let p = p.mul_add(t, 1.286506222129943e-2);
    let p = p.mul_add(t, -2.6633382748756415e-2);
    let p = p.mul_add(t, 3.8456648306028976e-2);
    let p = p.mul_add(t, -3.804488186580419e-2);
    let p = p.mul_add(t, 2.2305809783996662e-2);
    let p = p.mul_add(t, -5.015628751491837e-4);
    let p = p.mul_add(t, -1.382802712413362e-2);
    let p = p.mul_add(t, 1.5111762119190426e-2);
    let p = p.mul_add(t, -8.415446397766552e-3);
    let p = p.mul_add(t, 1.9452865632904632e-3);
    let p = p.mul_add(t, 4.135312116207043e-4);
    let p = p.mul_add(t, 7.029569252620381e-5);
    let p = p.mul_add(t, -6.037894914843156e-4);
    let p = p.mul_add(t, 7.545188448681381e-7);
    let p = p.mul_add(t, 7.936042794929958e-4);
    let p = p.mul_add(t, 1.888293254665993e-9);
    let p = p.mul_add(t, -2.7777778236481605e-3);
    let p = p.mul_add(t, 5.618805317593464e-13);
    let p = p.mul_add(t, 8.333333333333098e-2);
    let (ln, ln_low) = ln_sum(z);
    let (factor, cut) = two_sum(ln, -1.0);
    let factor_low = cut + ln_low;
    let (y, cut) = two_sum(z, -0.5);
    let y_low = low + cut;
    let product = y * factor;
    let product_low = y.mul_add(factor, -product) + y.mul_add(factor_low, y_low * factor);
    // The derivative of the logarithm makes low count once more, but for 1/2.
    let product_low = product_low + low * (-0.5f64).mul_add(t, 1.0);
    let (sum, cut) = two_sum(product, OFFSET);
    let rest = t.mul_add(p, product_low + cut + OFFSET_LOW);
    two_sum(sum, rest)
}

/// 1 + a, and what its rounding has cut off, for a from 0.
#[inline(always)]
pub fn above_one(a: f64) -> (f64, f64) {
    let z = 1.0 + a;
    (z, if a > 1.0 { 1.0 - (z - a) } else { a - (z - 1.0) })
}

/// The gamma function; NaN for negative integers.
#[inline(always)]
pub fn gamma(x: f64) -> f64 {
    let a = x.abs();
    let (z, low) = if x < 1.0 { above_one(a) } else { (x, 0.0) };
    // The result is then infinite or 0.
    let is_far = z > 200.0;
    let (ln, rest) = stirling(if is_far { 200.0 } else { z }, if is_far { 0.0 } else { low });
    let (p, n) = parts(ln, rest);
    if a < 1.0e-17 {
        1.0 / x
    } else if x >= 1.0 {
        scaled(p, n)
    } else if x > 0.0 {
        scaled(p, n) / x
    } else if x == x.trunc() {
        f64::NAN
    } else {
        scaled(PI / (sin_pi(x) * p), n.wrapping_neg())
    }
}

/// ln gamma(2 + t) / t, for t from -1 to 1.
#[inline(always)]
pub fn near_two(t: f64) -> f64 {
    let p = -8.46163687788084e-10f64;
    let p = p.mul_add(t, 8.538311202518698e-10);
    let p = p.mul_add(t, 4.299643109091751e-9);
    let p = p.mul_add(t, -2.501217352943876e-9);
    let p = p.mul_add(t, -1.4290781026141197e-8);
    let p = p.mul_add(t, 9.201752617659291e-9);
    let p = p.mul_add(t, 1.776556024256472e-8);
    let p = p.mul_add(t, 1.711250722142848e-9);
    let p = p.mul_add(t, -4.959980994916241e-8);
    let p = p.mul_add(t, 5.602356297401143e-8);
    let p = p.mul_add(t, -7.846402612191113e-8);
    let p = p.mul_add(t, 2.0679659734082019e-7);
    let p = p.mul_add(t, -4.6198883718254914e-7);
    let p = p.mul_add(t, 9.5748942784147e-7);
    let p = p.mul_add(t, -2.0339586440657694e-6);
    let p = p.mul_add(t, 4.374136256300944e-6);
    let p = p.mul_add(t, -9.441013008707616e-6);
    let p = p.mul_add(t, 2.0507368367635618e-5);
    let p = p.mul_add(t, -4.492593414434372e-5);
    let p = p.mul_add(t, 9.94574909615292e-5);
    let p = p.mul_add(t, -2.2315479764029527e-4);
    let p = p.mul_add(t, 5.096695266312009e-4);
    let p = p.mul_add(t, -1.1927539086483785e-3);
    let p = p.mul_add(t, 2.8905103306509656e-3);
    let p = p.mul_add(t, -7.385551028797906e-3);
    let p = p.mul_add(t, 2.0580808427786555e-2);
    let p = p.mul_add(t, -6.735230105319617e-2);
    let p = p.mul_add(t, 3.224670334241132e-1);
    p.mul_add(t, 4.2278433509846713e-1)
}

/// The logarithm of the absolute value of the gamma function, and the sign of that, 1 or -1.
#[inline(always)]
pub fn ln_gamma(x: f64) -> (f64, i32) {
    let a = x.abs();
    if x == 0.0 || a == f64::INFINITY || x.is_nan() {
        let sign = if x == 0.0 && x.is_sign_negative() { -1 } else { 1 };
        return (if x.is_nan() { x } else { f64::INFINITY }, sign);
    }
    // gamma(x) is 1/x near 0.
    let is_tiny = a < 1.0e-17;
    if is_tiny || x > 0.0 && x < 1.5 {
        let (ln, rest) = ln_sum(a);
        let t = x - 1.0;
        let p = if is_tiny { 0.0 } else { near_two(t) };
        let product = t * p;
        let (sum, cut) = two_sum(product, -ln);
        let y = sum + (cut + (t.mul_add(p, -product) - rest));
        return (y, if x < 0.0 { -1 } else { 1 });
    }
    if x > 0.0 && x < 3.0 {
        return ((x - 2.0) * near_two(x - 2.0), 1);
    }
    let (z, low) = if x < 0.0 { above_one(a) } else { (x, 0.0) };
    let (ln, rest) = stirling(z, low);
    if x > 0.0 {
        // Sums with an infinite product are none.
        return (if ln.is_nan() { f64::INFINITY } else { ln }, 1);
    }
    if x == x.trunc() {
        return (f64::INFINITY, 1);
    }
    let sine = sin_pi(x);
    let (of_sine, of_sine_low) = ln_sum(sine.abs());
    let (sum, first) = two_sum(LN_PI, -of_sine);
    let (sum, second) = two_sum(sum, -ln);
    let y = sum + (first + second + (LN_PI_LOW - of_sine_low - rest));
    (y, if sine < 0.0 { -1 } else { 1 })
}
