//! Roots, and the length of a vector.

/// 1 / sqrt(x).
#[inline(always)]
pub fn rsqrt(x: f64) -> f64 {
    let y = 1.0 / x.sqrt();
    if x > 0.0 && x < f64::INFINITY {
        // A step of Newton's method, whose residual 1 - x y^2 is exact but for its own rounding.
        let h = x * y;
        let residual = (-h).mul_add(y, 1.0) - x.mul_add(y, -h) * y;
        (0.5 * y).mul_add(residual, y)
    } else {
        y
    }
}

/// The cube root.
#[inline(always)]
pub fn cbrt(x: f64) -> f64 {
    let a = x.abs();
    // The residual below must not be subnormal.
    let is_small = a < 1.0e-290;
    let a = if is_small { a * 18014398509481984.0 } else { a };
    // 1 / cbrt(a) to a few percent: a third of the exponent, and of the mantissa as a linear function.
    let y = f64::from_bits(0x553f09fc2aaaaaaau64.wrapping_sub(a.to_bits() / 3));
    // Three times Householder's method of the third order on 1/y^3 - a; y^3 alone could be subnormal.
    let h = (-(a * y * y)).mul_add(y, 1.0);
    let y = (y * h).mul_add(h.mul_add(0.2222222222222222, 0.3333333333333333), y);
    let h = (-(a * y * y)).mul_add(y, 1.0);
    let y = (y * h).mul_add(h.mul_add(0.2222222222222222, 0.3333333333333333), y);
    let h = (-(a * y * y)).mul_add(y, 1.0);
    let y = (y * h).mul_add(h.mul_add(0.2222222222222222, 0.3333333333333333), y);
    // c = a y^2, and a step of Newton's method on c^3 - a with an exact square.
    let c = a * y * y;
    let square = c * c;
    let cut = c.mul_add(c, -square);
    let residual = (-c).mul_add(square, a) - c * cut;
    let c = (residual * 0.3333333333333333 * y).mul_add(y, c);
    let root = (if is_small { c * 3.814697265625e-6 } else { c }).copysign(x);
    if x == 0.0 || !x.is_finite() { x } else { root }
}

/// sqrt(x^2 + y^2), without overflow in between.
#[inline(always)]
pub fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let (a, b) = if x < y { (y, x) } else { (x, y) };
    // By a power of two, so that the squares are neither infinite nor subnormal.
    let scale = if a > 1.0e150 {
        2.409919865102884e-181
    } else if a < 1.0e-150 {
        4.149515568880993e180
    } else {
        1.0
    };
    let (s, t) = (a * scale, b * scale);
    let length = s.mul_add(s, t * t).sqrt() / scale;
    if x == f64::INFINITY || y == f64::INFINITY {
        f64::INFINITY
    } else {
        length
    }
}
