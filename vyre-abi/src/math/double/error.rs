//! The error function, its complement, and the normal distribution.

use super::exp::{parts, scaled};

/// The error function: 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x.
#[inline(always)]
pub fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a < 0.98 {
        let z = x * x;
        let p = -5.102276880857474e-11f64;
        let p = p.mul_add(z, 3.9344331271689157e-10);
        let p = p.mul_add(z, -2.1078641243231833e-9);
        let p = p.mul_add(z, 1.6311374288074535e-8);
        let p = p.mul_add(z, -1.6532771983935102e-7);
        let p = p.mul_add(z, 1.6474718545337916e-6);
        let p = p.mul_add(z, -1.4926310773838186e-5);
        let p = p.mul_add(z, 1.2055357016136682e-4);
        let p = p.mul_add(z, -8.548327621695953e-4);
        let p = p.mul_add(z, 5.223977635290271e-3);
        let p = p.mul_add(z, -2.6866170646141902e-2);
        let p = p.mul_add(z, 1.1283791670960965e-1);
        let p = p.mul_add(z, -3.761263890318391e-1);
        let p = p.mul_add(z, 1.283791670955126e-1);
        return if x == 0.0 { x } else { p.mul_add(x, x) };
    }
    let y = 1.0 - tail(if a > 7.0 { 7.0 } else { a }, 0.0);
    if x.is_nan() { x } else { y.copysign(x) }
}

/// e^(x^2) erfc(x), for x from 0.48.
///
/// By a polynomial in (x - 4) / (x + 4) of (1 + 2x) times it (M. M. Shepherd and J. G. Laframboise, Chebyshev
/// approximation of (1 + 2x) exp(x^2) erfc x, 1981).
#[inline(always)]
pub fn erfcx(x: f64) -> f64 {
    let t = (x - 4.0) / (x + 4.0);
    let p = -6.619604577775993e-10f64;
    let p = p.mul_add(t, 1.0418186920550405e-9);
    let p = p.mul_add(t, 4.627784572246717e-9);
    let p = p.mul_add(t, -1.3118977604215988e-8);
    let p = p.mul_add(t, -2.2988561330970852e-8);
    let p = p.mul_add(t, 1.0827488496351656e-7);
    let p = p.mul_add(t, 7.988350486797297e-8);
    let p = p.mul_add(t, -8.23650091269699e-7);
    let p = p.mul_add(t, 2.9038629511992764e-7);
    let p = p.mul_add(t, 5.708640726475896e-6);
    let p = p.mul_add(t, -1.1220567703269249e-5);
    let p = p.mul_add(t, -2.439878187574708e-5);
    let p = p.mul_add(t, 1.5062126366772763e-4);
    let p = p.mul_add(t, -1.9925680541527894e-4);
    let p = p.mul_add(t, -7.577732128340745e-4);
    let p = p.mul_add(t, 5.031969995897237e-3);
    let p = p.mul_add(t, -1.6197734066585593e-2);
    let p = p.mul_add(t, 3.716751553574626e-2);
    let p = p.mul_add(t, -6.633036581161518e-2);
    let p = p.mul_add(t, 9.373283499844169e-2);
    let p = p.mul_add(t, -1.0103906603632581e-1);
    let p = p.mul_add(t, 6.809705425469045e-2);
    let p = p.mul_add(t, 1.5379652102620045e-2);
    let p = p.mul_add(t, -1.396211168405625e-1);
    // The first coefficient in two parts: it is the result at 4.
    let p = p.mul_add(t, -4.625318921008717e-17) + 1.2329951186255526;
    p / (1.0 + 2.0 * x)
}

/// erfc(x + low), for x from 0.48 to 28.
#[inline(always)]
pub fn tail(x: f64, low: f64) -> f64 {
    // x^2 in two parts.
    let square = x * x;
    let rest = x.mul_add(x, -square) + 2.0 * x * low;
    let (p, n) = parts(-square, -rest);
    scaled(p * erfcx(x), n)
}

/// 1 - erf(x), without the loss of digits for large x.
#[inline(always)]
pub fn erfc(x: f64) -> f64 {
    if x < 0.5 {
        1.0 - erf(x)
    } else {
        tail(if x > 28.0 { 28.0 } else { x }, 0.0)
    }
}

/// [`normal_cdf`] as p * 2^n.
#[inline(always)]
pub fn normal_parts(x: f64) -> (f64, i32) {
    // erfc(-x / sqrt(2)) / 2, where the rounding of the argument would count 2 x^2 times.
    let high = x * -0.7071067811865476;
    let low = x.mul_add(-0.7071067811865476, -high) + x * 4.833646656726457e-17;
    if high < 0.5 {
        (0.5 - 0.5 * erf(high), 0)
    } else if high > 28.0 {
        (0.0, 0)
    } else {
        // Halved before it may become subnormal.
        let square = high * high;
        let rest = high.mul_add(high, -square) + 2.0 * high * low;
        let (p, n) = parts(-square, -rest);
        (p * erfcx(high), n.wrapping_sub(1))
    }
}

/// The probability that a normally distributed number with mean 0 and variance 1 is less than x.
#[inline(always)]
pub fn normal_cdf(x: f64) -> f64 {
    let (p, n) = normal_parts(x);
    scaled(p, n)
}
