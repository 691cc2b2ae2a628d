//! Functions of `f64`.

use vyre::math;
use vyre_semantics::agree;

agree! {
    fn exp(a: f64) -> f64 { a.exp() } as { math::exp(a) }
    fn exp2(a: f64) -> f64 { a.exp2() } as { math::exp2(a) }
    fn exp_m1(a: f64) -> f64 { a.exp_m1() } as { math::exp_m1(a) }
    fn ln(a: f64) -> f64 { a.ln() } as { math::ln(a) }
    fn log2(a: f64) -> f64 { a.log2() } as { math::log2(a) }
    fn log10(a: f64) -> f64 { a.log10() } as { math::log10(a) }
    fn ln_1p(a: f64) -> f64 { a.ln_1p() } as { math::ln_1p(a) }
    fn sin(a: f64) -> f64 { a.sin() } as { math::sin(a) }
    fn cos(a: f64) -> f64 { a.cos() } as { math::cos(a) }
    fn tan(a: f64) -> f64 { a.tan() } as { math::tan(a) }
    fn asin(a: f64) -> f64 { a.asin() } as { math::asin(a) }
    fn acos(a: f64) -> f64 { a.acos() } as { math::acos(a) }
    fn atan(a: f64) -> f64 { a.atan() } as { math::atan(a) }
    fn sinh(a: f64) -> f64 { a.sinh() } as { math::sinh(a) }
    fn cosh(a: f64) -> f64 { a.cosh() } as { math::cosh(a) }
    fn tanh(a: f64) -> f64 { a.tanh() } as { math::tanh(a) }
    fn asinh(a: f64) -> f64 { a.asinh() } as { math::asinh(a) }
    fn acosh(a: f64) -> f64 { a.acosh() } as { math::acosh(a) }
    fn atanh(a: f64) -> f64 { a.atanh() } as { math::atanh(a) }
    fn cbrt(a: f64) -> f64 { a.cbrt() } as { math::cbrt(a) }
    fn exp10(a: f64) -> f64 { math::exp10(a) }
    fn sin_pi(a: f64) -> f64 { math::sin_pi(a) }
    fn cos_pi(a: f64) -> f64 { math::cos_pi(a) }
    fn sigmoid(a: f64) -> f64 { math::sigmoid(a) }
    fn rsqrt(a: f64) -> f64 { math::rsqrt(a) }
    fn erf(a: f64) -> f64 { math::erf(a) }
    fn erfc(a: f64) -> f64 { math::erfc(a) }
    fn normal_cdf(a: f64) -> f64 { math::normal_cdf(a) }
    fn erf_inv(a: f64) -> f64 { math::erf_inv(a) }
    fn gamma(a: f64) -> f64 { math::gamma(a) }
    fn silu(a: f64) -> f64 { math::silu(a) }
    fn gelu(a: f64) -> f64 { math::gelu(a) }
    fn gelu_tanh(a: f64) -> f64 { math::gelu_tanh(a) }
    fn ln_gamma(a: f64) -> f64 { math::ln_gamma(a).0 }
    fn sign_of_gamma(a: f64) -> i32 { math::ln_gamma(a).1 }
    fn atan2(a: f64, b: f64) -> f64 { a.atan2(b) } as { math::atan2(a, b) }
    fn hypot(a: f64, b: f64) -> f64 { a.hypot(b) } as { math::hypot(a, b) }
    fn powf(a: f64, b: f64) -> f64 { a.powf(b) } as { math::powf(a, b) }
    fn log(a: f64, b: f64) -> f64 { a.log(b) } as { math::log(a, b) }
    fn powi(a: f64, n: i32) -> f64 { a.powi(n) } as { math::powi(a, n) }
    fn ldexp(a: f64, n: i32) -> f64 { math::ldexp(a, n % 2500) }
    fn mantissa(a: f64) -> f64 { math::frexp(a).0 }
    fn exponent(a: f64) -> i32 { math::frexp(a).1 }
    fn sine_of_both(a: f64) -> f64 { a.sin_cos().0 } as { math::sin(a) }
    fn cosine_of_both(a: f64) -> f64 { let (_, c) = math::sin_cos(a); c } as { math::cos(a) }
    // By the path of the type, through a reference, and with a result that goes on.
    fn by_type(a: f64) -> f64 { f64::exp(a) } as { math::exp(a) }
    fn through_reference(a: f64) -> f64 { let r = &a; r.exp().ln_1p().max(r.tanh()) } as { math::ln_1p(math::exp(a)).max(math::tanh(a)) }
}
