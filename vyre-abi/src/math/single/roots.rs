//! Roots, and the length of a vector.

use super::log::is_plain;
use crate::math::normal::normal_rsqrt;

/// 1 / sqrt(x), to nearest.
#[inline]
pub fn rsqrt(x: f32) -> f32 {
    if is_plain(x) {
        return normal_rsqrt(x);
    }
    if x > 0.0 && x < f32::MIN_POSITIVE {
        normal_rsqrt(x * 16777216.0) * 4096.0
    } else if x == 0.0 {
        f32::INFINITY.copysign(x)
    } else if x > 0.0 {
        0.0
    } else {
        f32::NAN
    }
}

/// The cube root of a number from 1e-30.
#[inline]
pub fn normal_cbrt(a: f32) -> f32 {
    // 1 / cbrt(a) to a few percent: a third of the exponent, and of the mantissa as a linear function.
    let y = f32::from_bits(0x54a2fa8cu32.wrapping_sub(a.to_bits() / 3));
    // Householder's method of the third order on 1/y^3 - a; y^3 alone could be subnormal.
    let h = (-(a * y * y)).mul_add(y, 1.0);
    let y = (y * h).mul_add(h.mul_add(0.22222222, 0.33333334), y);
    // The same on c^3 - a for c = a y^2, with an exact square.
    let c = a * y * y;
    let square = c * c;
    let cut = c.mul_add(c, -square);
    let residual = (-c).mul_add(cut, (-c).mul_add(square, a));
    let step = residual * y * y;
    step.mul_add((step * y).mul_add(0.22222222, 0.33333334), c)
}

/// The cube root.
#[inline]
pub fn cbrt(x: f32) -> f32 {
    let a = x.abs();
    // Below, the residual could be subnormal.
    if a >= 1.0e-30 && a < f32::INFINITY {
        return normal_cbrt(a).copysign(x);
    }
    if x == 0.0 || !x.is_finite() {
        x
    } else {
        (normal_cbrt(a * 16777216.0) * 0.00390625).copysign(x)
    }
}

/// sqrt(x^2 + y^2), without overflow in between.
#[inline]
pub fn hypot(x: f32, y: f32) -> f32 {
    let (x, y) = (x.abs(), y.abs());
    let (a, b) = if x < y { (y, x) } else { (x, y) };
    // By a power of two, so that the squares are neither infinite nor subnormal.
    let scale = if a > 1.0e18 {
        8.271806125530277e-25
    } else if a < 1.0e-18 {
        1.2089258196146292e24
    } else {
        1.0
    };
    let (s, t) = (a * scale, b * scale);
    let length = s.mul_add(s, t * t).sqrt() / scale;
    if x == f32::INFINITY || y == f32::INFINITY {
        f32::INFINITY
    } else {
        length
    }
}
