//! Hyperbolic functions and their inverses, and the logistic function.

use super::exp::{exp, half_sum, parts, scaled};
use super::log::{ln, ln_1p_finite};

const LN_2: f64 = 0.6931471805599453;

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    let a = x.abs();
    if a < 1.0 {
        let z = x * x;
        let p = 6.274991108256921e-15f64;
        let p = p.mul_add(z, 7.510669916561633e-13);
        let p = p.mul_add(z, 1.6061230873718981e-10);
        let p = p.mul_add(z, 2.505209020484476e-8);
        let p = p.mul_add(z, 2.7557319307090485e-6);
        let p = p.mul_add(z, 1.984126984106658e-4);
        let p = p.mul_add(z, 8.33333333333357e-3);
        let p = p.mul_add(z, 1.6666666666666666e-1);
        // The sum loses the sign of -0.
        return if x == 0.0 { x } else { (z * x).mul_add(p, x) };
    }
    let y = half_sum(a, -1.0);
    if x.is_nan() { x } else { y.copysign(x) }
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    let a = x.abs();
    if a < 1.0 {
        let z = x * x;
        let p = 1.1660584257844095e-11f64;
        let p = p.mul_add(z, 2.0873723498135456e-9);
        let p = p.mul_add(z, 2.755734425300488e-7);
        let p = p.mul_add(z, 2.480158718859672e-5);
        let p = p.mul_add(z, 1.3888888889159732e-3);
        let p = p.mul_add(z, 4.166666666666363e-2);
        let p = p.mul_add(z, 5.000000000000001e-1);
        return z.mul_add(p, 1.0);
    }
    half_sum(a, 1.0)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let a = x.abs();
    if a < 0.8 {
        let z = x * x;
        let p = 4.434695239747354e-7f64;
        let p = p.mul_add(z, -3.217104084158857e-6);
        let p = p.mul_add(z, 1.2508293171388715e-5);
        let p = p.mul_add(z, -3.670776976112204e-5);
        let p = p.mul_add(z, 9.551216859776713e-5);
        let p = p.mul_add(z, -2.385702137048936e-4);
        let p = p.mul_add(z, 5.898650981163234e-4);
        let p = p.mul_add(z, -1.455800319768209e-3);
        let p = p.mul_add(z, 3.592122973234406e-3);
        let p = p.mul_add(z, -8.86323501445241e-3);
        let p = p.mul_add(z, 2.1869488502096412e-2);
        let p = p.mul_add(z, -5.396825396691697e-2);
        let p = p.mul_add(z, 1.3333333333330677e-1);
        let p = p.mul_add(z, -3.3333333333333315e-1);
        // The sum loses the sign of -0.
        return if x == 0.0 { x } else { (z * x).mul_add(p, x) };
    }
    let e = exp(if a > 22.0 { 44.0 } else { a * 2.0 });
    let y = 1.0 - 2.0 / (e + 1.0);
    if x.is_nan() { x } else { y.copysign(x) }
}

/// The inverse hyperbolic sine.
#[inline(always)]
pub fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let y = if a > 1.0e9 {
        ln(a) + LN_2
    } else {
        // asinh a = ln(1 + a + a^2 / (1 + sqrt(1 + a^2)))
        let t = a * a / (1.0 + a.mul_add(a, 1.0).sqrt());
        let sum = a + t;
        ln_1p_finite(sum, if a > t { t - (sum - a) } else { a - (sum - t) })
    };
    if x == 0.0 { x } else { y.copysign(x) }
}

/// The inverse hyperbolic cosine; NaN below 1.
#[inline(always)]
pub fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    if x > 1.0e9 {
        ln(x) + LN_2
    } else if x >= 1.0 {
        let root = t.mul_add(t, 2.0 * t).sqrt();
        let sum = t + root;
        ln_1p_finite(sum, t - (sum - root))
    } else {
        f64::NAN
    }
}

/// The inverse hyperbolic tangent; infinite at -1 and 1, NaN outside.
#[inline(always)]
pub fn atanh(x: f64) -> f64 {
    let a = x.abs();
    let y = if a < 1.0 {
        // atanh a = ln(1 + 2a / (1 - a)) / 2
        let below = 1.0 - a;
        let ratio = 2.0 * a / below;
        let low = ((-ratio).mul_add(below, 2.0 * a) + ratio * (a - (1.0 - below))) / below;
        0.5 * ln_1p_finite(ratio, low)
    } else if a == 1.0 {
        f64::INFINITY
    } else {
        f64::NAN
    };
    if x == 0.0 { x } else { y.copysign(x) }
}

/// The logistic function 1 / (1 + e^-x).
#[inline(always)]
pub fn sigmoid(x: f64) -> f64 {
    let a = x.abs();
    let (p, n) = parts(if a > 750.0 { -750.0 } else { -a }, -0.0);
    let below = 1.0 + scaled(p, n);
    if x.is_nan() {
        x
    } else if x < 0.0 {
        // The quotient is rounded before it may become subnormal: then 1 + e^x is 1.
        scaled(p / below, n)
    } else {
        1.0 / below
    }
}
