//! The inverse of the error function.
//!
//! erf_inv(x) / x as a polynomial in w = -ln(1 - x^2), for large w in its root (M. Giles, Approximating the erfinv function,
//! 2011).

use super::log::normal_split;
use crate::math::normal::normal_sqrt;

/// ln 2 / 2^23
const LN_2: f32 = 8.262958e-8;

/// The inverse of the error function; infinite at -1 and 1, NaN outside.
#[inline]
pub fn erf_inv(x: f32) -> f32 {
    // 0 where x is not between -1 and 1: w is then large.
    let rest = (-x).mul_add(x, 1.0).max(0.0);
    let (f, k) = normal_split(rest);
    // The results do not need more than a small absolute error.
    let q = 1.00475326e-1f32;
    let q = q.mul_add(f, -1.6404216e-1);
    let q = q.mul_add(f, 1.7344116e-1);
    let q = q.mul_add(f, -1.9875416e-1);
    let q = q.mul_add(f, 2.4958691e-1);
    let q = q.mul_add(f, -3.3336097e-1);
    let q = q.mul_add(f, 5.000068e-1);
    let q = q.mul_add(f, -9.999998e-1);
    let w = k.mul_add(-LN_2, q * f);
    if w < 4.7 {
        let p = -9.888378e-9f32;
        let p = p.mul_add(w, 2.4441636e-7);
        let p = p.mul_add(w, -2.184806e-6);
        let p = p.mul_add(w, 4.989379e-6);
        let p = p.mul_add(w, 4.170985e-5);
        let p = p.mul_add(w, -1.2265547e-4);
        let p = p.mul_add(w, -2.3389922e-3);
        let p = p.mul_add(w, 1.1551057e-2);
        let p = p.mul_add(w, 2.3201329e-1);
        // The sum is rounded once. w is -0 where x is 0.
        (p * w.abs()).mul_add(x, x * 8.8622695e-1)
    } else if rest > 0.0 {
        let u = normal_sqrt(w) - 3.0;
        let p = 1.3386103e-4f32;
        let p = p.mul_add(u, -3.2111854e-4);
        let p = p.mul_add(u, -8.313383e-5);
        let p = p.mul_add(u, 1.4963448e-3);
        let p = p.mul_add(u, -3.5834583e-3);
        let p = p.mul_add(u, 5.6844144e-3);
        let p = p.mul_add(u, -7.640237e-3);
        let p = p.mul_add(u, 9.445217e-3);
        let p = p.mul_add(u, 1.0016751);
        p.mul_add(u, 2.8329768) * x
    } else if x.abs() == 1.0 {
        f32::INFINITY.copysign(x)
    } else {
        f32::NAN
    }
}
