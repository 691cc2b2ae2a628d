//! Roots, and the length of a vector.

use crate::math::normal::normal_rsqrt;

/// 1 / sqrt(x), to nearest.
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    let y = normal_rsqrt(x);
    if !y.is_nan() {
        y
    } else if x > 0.0 {
        // A subnormal number, or infinity, where only the second factor is none.
        if x < f32::INFINITY {
            normal_rsqrt(x * 16777216.0) * 4096.0
        } else {
            0.0
        }
    } else if x == 0.0 {
        f32::INFINITY.copysign(x)
    } else {
        f32::NAN
    }
}

/// The cube root.
#[inline(always)]
pub fn cbrt(x: f32) -> f32 {
    // Below, the mantissa has few bits, and the residual could be subnormal.
    let is_small = x.abs() < 1.0e-30;
    let x = if is_small { x * 16777216.0 } else { x };
    // 1 / cbrt|x| to a few percent: a third of the exponent, and of the mantissa as a linear function.
    let third = ((x.abs().min(f32::MAX).to_bits() as u64 * 0x55555556) >> 32) as u32;
    let y = f32::from_bits(0x54a20000u32.wrapping_sub(third));
    // (1 - h)^(-1/3) for h up to 0.103, the error of the estimate.
    let h = (-(x.abs() * y * y)).mul_add(y, 1.0);
    let y = (y * h).mul_add(h.mul_add(2.2334808e-1, 3.3468595e-1), y);
    // Newton's method on c^3 - x for c = x y^2.
    let square = y * y;
    let c = x * square;
    let residual = (-c).mul_add(c * c, x);
    let root = (residual * square).mul_add(0.33333334, c);
    let root = if is_small { root * 0.00390625 } else { root };
    // Zeros and infinities.
    if x + x == x { x } else { root }
}

/// sqrt(x^2 + y^2), without overflow in between.
#[inline(always)]
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
