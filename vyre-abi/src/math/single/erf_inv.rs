//! The inverse of the error function.
//!
//! erf_inv(x) / x as a polynomial in w = -ln(1 - x^2), for large w in its root (M. Giles, Approximating the erfinv function,
//! 2011).

use super::log::normal_split;
use crate::math::normal::normal_sqrt;

/// ln 2 / 2^23 in units of w.
const LN_2: f32 = 1.0593762e-8;
/// 4.7 in units of w.
const FAR: f32 = 0.602577;

/// The inverse of the error function; infinite at -1 and 1, NaN outside.
#[inline(always)]
pub fn erf_inv(x: f32) -> f32 {
    // 0 where x is not between -1 and 1: w is then large. A GPU has both limits in one instruction with the sum.
    let rest = (-x).mul_add(x, 1.0).max(0.0).min(1.0);
    let (f, k) = normal_split(rest);
    // w in units in which the last coefficient of the first polynomial in it is -1: its first step is then a sum. The
    // results do not need more than a small absolute error. These coefficients are a few units in the last place beside
    // those that `scripts/minimax` prints: the largest error over all arguments is then smaller.
    let q = -1.5596062e-2f32;
    let q = q.mul_add(f, 2.4383517e-2);
    let q = q.mul_add(f, -2.634729e-2);
    let q = q.mul_add(f, 3.1881675e-2);
    let q = q.mul_add(f, -4.270123e-2);
    let q = q.mul_add(f, 6.410688e-2);
    let q = q.mul_add(f, -1.2820822e-1);
    let w = k.mul_add(-LN_2, q * f);
    if w < FAR {
        let p = 3.1873472 - w;
        let p = p.mul_add(w, -3.6452122);
        let p = p.mul_add(w, 9.988162e-1);
        let p = p.mul_add(w, 1.2518874);
        let p = p.mul_add(w, -4.6493655e-1);
        let p = p.mul_add(w, -1.1084445);
        let p = p.mul_add(w, 7.0263356e-1);
        let p = p.mul_add(w, 1.8096682);
        // x is exact, and larger than the other term: sqrt(pi) / 2 - 1 is small. The sum loses the sign of -0.
        x.mul_add(p.mul_add(w, -1.1377307e-1), x).copysign(x)
    } else if rest > 0.0 {
        let u = normal_sqrt(w) - 1.0742004;
        let p = 1.3857131f32;
        let p = p.mul_add(u, -1.1915116);
        let p = p.mul_add(u, -1.0989864e-1);
        let p = p.mul_add(u, 7.106233e-1);
        let p = p.mul_add(u, -6.0889316e-1);
        let p = p.mul_add(u, 3.457367e-1);
        let p = p.mul_add(u, -1.6640294e-1);
        let p = p.mul_add(u, 7.3663816e-2);
        let p = p.mul_add(u, 2.797499);
        p.mul_add(u, 2.8330233) * x
    } else if x.abs() == 1.0 {
        f32::INFINITY.copysign(x)
    } else {
        f32::NAN
    }
}
