//! Roots, and the length of a vector.

use super::log::is_plain;

/// 1 / sqrt(x).
#[inline]
pub fn rsqrt(x: f32) -> f32 {
    if is_plain(x) {
        // To a few percent: half of the exponent, and of the mantissa as a linear function.
        let y = f32::from_bits(0x5f3759dfu32.wrapping_sub(x.to_bits() >> 1));
        // Twice Householder's method of the third order on 1/y^2 - x.
        let h = (-(x * y)).mul_add(y, 1.0);
        let y = (y * h).mul_add(h.mul_add(0.375, 0.5), y);
        let h = (-(x * y)).mul_add(y, 1.0);
        return (y * h).mul_add(h.mul_add(0.375, 0.5), y);
    }
    1.0 / x.sqrt()
}

/// The cube root.
#[inline]
pub fn cbrt(x: f32) -> f32 {
    let a = x.abs();
    // The residual below must not be subnormal.
    let is_small = a < 1.0e-30;
    let a = if is_small { a * 16777216.0 } else { a };
    // 1 / cbrt(a) to a few percent: a third of the exponent, and of the mantissa as a linear function.
    let y = f32::from_bits(0x54a2fa8cu32.wrapping_sub(a.to_bits() / 3));
    // Twice Householder's method of the third order on 1/y^3 - a; y^3 alone could be subnormal.
    let h = (-(a * y * y)).mul_add(y, 1.0);
    let y = (y * h).mul_add(h.mul_add(0.22222222, 0.33333334), y);
    let h = (-(a * y * y)).mul_add(y, 1.0);
    let y = (y * h).mul_add(h.mul_add(0.22222222, 0.33333334), y);
    // c = a y^2, and a step of Newton's method on c^3 - a with an exact square.
    let c = a * y * y;
    let square = c * c;
    let cut = c.mul_add(c, -square);
    let residual = (-c).mul_add(square, a) - c * cut;
    let c = (residual * 0.33333334 * y).mul_add(y, c);
    let root = (if is_small { c * 0.00390625 } else { c }).copysign(x);
    if x == 0.0 || !x.is_finite() { x } else { root }
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
