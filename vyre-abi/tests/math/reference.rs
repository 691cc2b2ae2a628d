//! Functions of `f64` that the standard library lacks, to more digits than `f32` has.

use core::f64::consts::PI;

/// The error function, by its series or from [`erfc`].
pub(crate) fn erf(x: f64) -> f64 {
    if x.abs() > 2.5 {
        return 1.0f64.copysign(x) * (1.0 - erfc(x.abs()));
    }
    // The sum of (-1)^n x^(2n + 1) / (n! (2n + 1)), with e^(-x^2) taken out so that all terms are positive (Abramowitz
    // and Stegun, Handbook of Mathematical Functions, 7.1.6).
    let (mut term, mut sum) = (x, x);
    for n in 1..80 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    2.0 / PI.sqrt() * (-x * x).exp() * sum
}

/// 1 - erf(x), by its continued fraction for large x (7.1.14).
pub(crate) fn erfc(x: f64) -> f64 {
    if x < 2.0 {
        return 1.0 - erf(x);
    }
    if x > 27.3 {
        return 0.0;
    }
    let mut fraction = x;
    for k in (1..120).rev() {
        fraction = x + f64::from(k) / 2.0 / fraction;
    }
    // e^(-x^2) from exact parts of the square.
    let square = x * x;
    (-square).exp() * (1.0 - x.mul_add(x, -square)) / fraction / PI.sqrt()
}

pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x * core::f64::consts::FRAC_1_SQRT_2)
}

pub(crate) fn exp10(x: f64) -> f64 {
    // 10^x = 10^n 10^r: the product with ln 10 is inexact for large x.
    let n = x.round().clamp(-400.0, 400.0);
    10f64.powi((n / 2.0) as i32) * 10f64.powi(n as i32 - (n / 2.0) as i32) * ((x - n) * core::f64::consts::LN_10).exp()
}

pub(crate) fn sigmoid(x: f64) -> f64 {
    if x < 0.0 {
        x.exp() / (1.0 + x.exp())
    } else {
        1.0 / (1.0 + (-x).exp())
    }
}

pub(crate) fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// sin(pi x) and cos(pi x).
fn turns(x: f64) -> (f64, f64) {
    let x = x % 2.0;
    let n = (2.0 * x).round();
    let (s, c) = (PI * (x - n / 2.0)).sin_cos();
    match (n as i64).rem_euclid(4) {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

pub(crate) fn sin_pi(x: f64) -> f64 {
    let y = turns(x).0;
    if y == 0.0 { 0f64.copysign(x) } else { y }
}

pub(crate) fn cos_pi(x: f64) -> f64 {
    turns(x).1 + 0.0
}

pub(crate) fn log(x: f64, base: f64) -> f64 {
    x.ln() / base.ln()
}
