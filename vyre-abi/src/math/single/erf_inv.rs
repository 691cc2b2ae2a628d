//! The inverse of the error function.
//!
//! erf_inv(x) / x as a polynomial in w = -ln(1 - x^2), for large w in its root (M. Giles, Approximating the erfinv function,
//! 2011).

use super::log::{normal_split, whole_ln};
use crate::math::normal::normal_sqrt;

/// The inverse of the error function; infinite at -1 and 1, NaN outside.
#[inline]
pub fn erf_inv(x: f32) -> f32 {
    if x.abs() < 1.0 {
        inside(x)
    } else if x.abs() == 1.0 {
        f32::INFINITY.copysign(x)
    } else {
        f32::NAN
    }
}

/// The inverse of the error function between -1 and 1.
#[inline]
pub fn inside(x: f32) -> f32 {
    let (f, k) = normal_split((-x).mul_add(x, 1.0));
    let w = -whole_ln(f, k);
    // The first coefficient in two parts.
    if w < 5.0 {
        let p = 3.447769e-10f32;
        let p = p.mul_add(w, -1.7351336e-8);
        let p = p.mul_add(w, 3.113215e-7);
        let p = p.mul_add(w, -2.5034908e-6);
        let p = p.mul_add(w, 5.841469e-6);
        let p = p.mul_add(w, 4.051172e-5);
        let p = p.mul_add(w, -1.2210052e-4);
        let p = p.mul_add(w, -2.3383973e-3);
        let p = p.mul_add(w, 1.1550238e-2);
        let p = p.mul_add(w, 2.3201358e-1);
        (p.mul_add(w, -2.66232e-8) + 8.8622695e-1) * x
    } else {
        let u = normal_sqrt(w) - 3.0;
        let p = 1.280651e-4f32;
        let p = p.mul_add(u, -3.125832e-4);
        let p = p.mul_add(u, -7.8876175e-5);
        let p = p.mul_add(u, 1.487005e-3);
        let p = p.mul_add(u, -3.583805e-3);
        let p = p.mul_add(u, 5.6875427e-3);
        let p = p.mul_add(u, -7.6403725e-3);
        let p = p.mul_add(u, 9.44491e-3);
        let p = p.mul_add(u, 1.0016751);
        p.mul_add(u, 2.8329768) * x
    }
}
