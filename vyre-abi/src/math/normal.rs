//! Reciprocals and roots of `f32`, to nearest, for which a GPU has instructions of its own. Those of normal numbers leave out
//! the rare arguments: `UnaryOp::NormalRecip`, `NormalSqrt` and `NormalRsqrt` state the ranges.

/// 1 / x.
#[inline]
pub fn normal_recip(x: f32) -> f32 {
    1.0 / x
}

/// sqrt(x).
#[inline]
pub fn normal_sqrt(x: f32) -> f32 {
    x.sqrt()
}

/// 1 / sqrt(x); NaN where x is no positive normal number.
#[inline]
pub fn normal_rsqrt(x: f32) -> f32 {
    if x >= f32::MIN_POSITIVE && x < f32::INFINITY {
        // The quotient of `f64` is nowhere so near the middle between two numbers that rounding it again would err.
        (1.0 / f64::from(x).sqrt()) as f32
    } else {
        f32::NAN
    }
}
