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
    // 0 where x is not between -1 and 1: w is then large. A GPU has both limits in one instruction with the sum.
    let rest = (-x).mul_add(x, 1.0).max(0.0).min(1.0);
    let (f, k) = normal_split(rest);
    // The results do not need more than a small absolute error.
    let q = -1.1833498e-1f32;
    let q = q.mul_add(f, 1.8864873e-1);
    let q = q.mul_add(f, -2.0594643e-1);
    let q = q.mul_add(f, 2.4887994e-1);
    let q = q.mul_add(f, -3.3304235e-1);
    let q = q.mul_add(f, 5.000165e-1);
    let q = q.mul_add(f, -1.0000032);
    let w = k.mul_add(-LN_2, q * f);
    if w < 4.7 {
        let p = -9.359052e-9f32;
        let p = p.mul_add(w, 2.3272786e-7);
        let p = p.mul_add(w, -2.076493e-6);
        let p = p.mul_add(w, 4.4429185e-6);
        let p = p.mul_add(w, 4.333843e-5);
        let p = p.mul_add(w, -1.255643e-4);
        let p = p.mul_add(w, -2.3359775e-3);
        let p = p.mul_add(w, 1.1549396e-2);
        let p = p.mul_add(w, 2.3201369e-1);
        // x is exact, and larger than the other term: sqrt(pi) / 2 - 1 is small. The sum loses the sign of -0.
        x.mul_add(p.mul_add(w, -1.1377307e-1), x).copysign(x)
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
