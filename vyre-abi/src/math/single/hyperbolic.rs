//! Hyperbolic functions and their inverses, and the logistic function.

use super::exp::{normal_exp, parts, power, scaled};
use super::log::{ln_1p_sum, normal_split, whole_ln};
use crate::math::normal::{normal_recip, normal_sqrt};

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh(x: f32) -> f32 {
    let a = x.abs();
    if a < 1.0 {
        let z = x * x;
        let p = 2.7839276e-6f32;
        let p = p.mul_add(z, 1.9842635e-4);
        let p = p.mul_add(z, 8.333311e-3);
        let p = p.mul_add(z, 1.6666667e-1);
        // The sum loses the sign of -0.
        return (z * x).mul_add(p, x).copysign(x);
    }
    let (p, n) = parts(if a > 89.5 { 89.5 } else { a }, -0.0);
    // Halved first: the sum may be a number where e^x is none.
    let half = p * power(n - 2);
    let y = (half - 0.0625 * normal_recip(half)) * 2.0;
    if x.is_nan() { x } else { y.copysign(x) }
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh(x: f32) -> f32 {
    let a = x.abs();
    let (p, n) = parts(if a > 89.5 { 89.5 } else { a }, -0.0);
    let half = p * power(n - 2);
    if x.is_nan() {
        x
    } else {
        (half + 0.0625 * normal_recip(half)) * 2.0
    }
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let a = x.abs();
    if a < 1.0 {
        let z = x * x;
        let p = -3.6182188e-4f32;
        let p = p.mul_add(z, 2.3132134e-3);
        let p = p.mul_add(z, -7.962408e-3);
        let p = p.mul_add(z, 2.1497699e-2);
        let p = p.mul_add(z, -5.3883586e-2);
        let p = p.mul_add(z, 1.3332404e-1);
        let p = p.mul_add(z, -3.33333e-1);
        // The sum loses the sign of -0.
        return (z * x).mul_add(p, x).copysign(x);
    }
    if a < 10.0 {
        // 1 - 2 / (e^2a + 1)
        let y = 1.0 - normal_recip(normal_exp(a * 2.0).mul_add(0.5, 0.5));
        return y.copysign(x);
    }
    if x.is_nan() { x } else { 1f32.copysign(x) }
}

/// ln(2x) for large x, and infinity.
#[inline(always)]
pub fn ln_twice(x: f32) -> f32 {
    let (f, k) = normal_split(x);
    if x == f32::INFINITY {
        x
    } else {
        whole_ln(f, k + 8388608.0)
    }
}

/// The inverse hyperbolic sine.
#[inline(always)]
pub fn asinh(x: f32) -> f32 {
    let a = x.abs();
    let y = if a > 1.0e9 {
        ln_twice(a)
    } else {
        // asinh a = ln(1 + a + a^2 / (1 + sqrt(1 + a^2)))
        let t = a * a * normal_recip(1.0 + normal_sqrt(a.mul_add(a, 1.0)));
        let sum = a + t;
        ln_1p_sum(sum, if a > t { t - (sum - a) } else { a - (sum - t) })
    };
    y.copysign(x)
}

/// The inverse hyperbolic cosine; NaN below 1.
#[inline(always)]
pub fn acosh(x: f32) -> f32 {
    let t = x - 1.0;
    if x > 1.0e9 {
        ln_twice(x)
    } else if x > 1.0 {
        let root = normal_sqrt(t.mul_add(t, 2.0 * t));
        let sum = t + root;
        ln_1p_sum(sum, t - (sum - root))
    } else if x == 1.0 {
        0.0
    } else {
        f32::NAN
    }
}

/// The inverse hyperbolic tangent; infinite at -1 and 1, NaN outside.
#[inline(always)]
pub fn atanh(x: f32) -> f32 {
    let a = x.abs();
    let y = if a < 1.0 {
        // atanh a = ln(1 + 2a / (1 - a)) / 2
        let below = 1.0 - a;
        let inverse = normal_recip(below);
        let ratio = 2.0 * a * inverse;
        // The errors of the quotient and of the difference.
        let low = ((-ratio).mul_add(below, 2.0 * a) + ratio * (a - (1.0 - below))) * inverse;
        0.5 * ln_1p_sum(ratio, low)
    } else if a == 1.0 {
        f32::INFINITY
    } else {
        f32::NAN
    };
    y.copysign(x)
}

/// The logistic function 1 / (1 + e^-x).
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    let a = x.abs();
    let (p, n) = parts(if a > 110.0 { -110.0 } else { -a }, -0.0);
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
