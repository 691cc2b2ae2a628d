//! Functions of `f32`.

use vyre::math;
use vyre_semantics::agree;

agree! {
    fn exp(a: f32) -> f32 { a.exp() } as { math::exp(a) }
    fn exp2(a: f32) -> f32 { a.exp2() } as { math::exp2(a) }
    fn exp_m1(a: f32) -> f32 { a.exp_m1() } as { math::exp_m1(a) }
    fn ln(a: f32) -> f32 { a.ln() } as { math::ln(a) }
    fn log2(a: f32) -> f32 { a.log2() } as { math::log2(a) }
    fn log10(a: f32) -> f32 { a.log10() } as { math::log10(a) }
    fn ln_1p(a: f32) -> f32 { a.ln_1p() } as { math::ln_1p(a) }
    fn sin(a: f32) -> f32 { a.sin() } as { math::sin(a) }
    fn cos(a: f32) -> f32 { a.cos() } as { math::cos(a) }
    fn tan(a: f32) -> f32 { a.tan() } as { math::tan(a) }
    fn asin(a: f32) -> f32 { a.asin() } as { math::asin(a) }
    fn acos(a: f32) -> f32 { a.acos() } as { math::acos(a) }
    fn atan(a: f32) -> f32 { a.atan() } as { math::atan(a) }
    fn sinh(a: f32) -> f32 { a.sinh() } as { math::sinh(a) }
    fn cosh(a: f32) -> f32 { a.cosh() } as { math::cosh(a) }
    fn tanh(a: f32) -> f32 { a.tanh() } as { math::tanh(a) }
    fn asinh(a: f32) -> f32 { a.asinh() } as { math::asinh(a) }
    fn acosh(a: f32) -> f32 { a.acosh() } as { math::acosh(a) }
    fn atanh(a: f32) -> f32 { a.atanh() } as { math::atanh(a) }
    fn cbrt(a: f32) -> f32 { a.cbrt() } as { math::cbrt(a) }
    fn exp10(a: f32) -> f32 { math::exp10(a) }
    fn sin_pi(a: f32) -> f32 { math::sin_pi(a) }
    fn cos_pi(a: f32) -> f32 { math::cos_pi(a) }
    fn sigmoid(a: f32) -> f32 { math::sigmoid(a) }
    fn rsqrt(a: f32) -> f32 { math::rsqrt(a) }
    fn erf(a: f32) -> f32 { math::erf(a) }
    fn erfc(a: f32) -> f32 { math::erfc(a) }
    fn normal_cdf(a: f32) -> f32 { math::normal_cdf(a) }
    fn erf_inv(a: f32) -> f32 { math::erf_inv(a) }
    fn gamma(a: f32) -> f32 { math::gamma(a) }
    fn silu(a: f32) -> f32 { math::silu(a) }
    fn gelu(a: f32) -> f32 { math::gelu(a) }
    fn gelu_tanh(a: f32) -> f32 { math::gelu_tanh(a) }
    fn ln_gamma(a: f32) -> f32 { math::ln_gamma(a).0 }
    fn sign_of_gamma(a: f32) -> i32 { math::ln_gamma(a).1 }
    fn atan2(a: f32, b: f32) -> f32 { a.atan2(b) } as { math::atan2(a, b) }
    fn hypot(a: f32, b: f32) -> f32 { a.hypot(b) } as { math::hypot(a, b) }
    fn powf(a: f32, b: f32) -> f32 { a.powf(b) } as { math::powf(a, b) }
    fn log(a: f32, b: f32) -> f32 { a.log(b) } as { math::log(a, b) }
    fn powi(a: f32, n: i32) -> f32 { a.powi(n) } as { math::powi(a, n) }
    fn ldexp(a: f32, n: i32) -> f32 { math::ldexp(a, n % 2500) }
    fn mantissa(a: f32) -> f32 { math::frexp(a).0 }
    fn exponent(a: f32) -> i32 { math::frexp(a).1 }
    fn sine_of_both(a: f32) -> f32 { a.sin_cos().0 } as { math::sin(a) }
    fn cosine_of_both(a: f32) -> f32 { let (_, c) = math::sin_cos(a); c } as { math::cos(a) }
    // By the path of the type, through a reference, and with a result that goes on.
    fn by_type(a: f32) -> f32 { f32::exp(a) } as { math::exp(a) }
    fn through_reference(a: f32) -> f32 { let r = &a; r.exp().ln_1p().max(r.tanh()) } as { math::ln_1p(math::exp(a)).max(math::tanh(a)) }
}
