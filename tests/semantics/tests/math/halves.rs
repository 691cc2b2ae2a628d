//! Functions of `f16` and `bf16`: those of `f32`, rounded.

macro_rules! functions {
    ($($T:ident)*) => {$(
        mod $T {
            use vyre::{$T, Float, math};
            use vyre_semantics::agree;

            agree! {
                fn exp(a: $T) -> $T { math::exp(a) } as { <$T as Float>::from_f32(math::exp(a.to_f32())) }
                fn exp10(a: $T) -> $T { math::exp10(a) } as { <$T as Float>::from_f32(math::exp10(a.to_f32())) }
                fn ln(a: $T) -> $T { math::ln(a) } as { <$T as Float>::from_f32(math::ln(a.to_f32())) }
                fn sin(a: $T) -> $T { math::sin(a) } as { <$T as Float>::from_f32(math::sin(a.to_f32())) }
                fn tan(a: $T) -> $T { math::tan(a) } as { <$T as Float>::from_f32(math::tan(a.to_f32())) }
                fn atan(a: $T) -> $T { math::atan(a) } as { <$T as Float>::from_f32(math::atan(a.to_f32())) }
                fn tanh(a: $T) -> $T { math::tanh(a) } as { <$T as Float>::from_f32(math::tanh(a.to_f32())) }
                fn cbrt(a: $T) -> $T { math::cbrt(a) } as { <$T as Float>::from_f32(math::cbrt(a.to_f32())) }
                fn rsqrt(a: $T) -> $T { math::rsqrt(a) } as { <$T as Float>::from_f32(math::rsqrt(a.to_f32())) }
                fn erf(a: $T) -> $T { math::erf(a) } as { <$T as Float>::from_f32(math::erf(a.to_f32())) }
                fn sigmoid(a: $T) -> $T { math::sigmoid(a) } as { <$T as Float>::from_f32(math::sigmoid(a.to_f32())) }
                fn gelu(a: $T) -> $T { math::gelu(a) } as { <$T as Float>::from_f32(math::gelu(a.to_f32())) }
                fn gamma(a: $T) -> $T { math::gamma(a) } as { <$T as Float>::from_f32(math::gamma(a.to_f32())) }
                fn ln_gamma(a: $T) -> $T { math::ln_gamma(a).0 } as { <$T as Float>::from_f32(math::ln_gamma(a.to_f32()).0) }
                fn erf_inv(a: $T) -> $T { math::erf_inv(a) } as { <$T as Float>::from_f32(math::erf_inv(a.to_f32())) }
                fn atan2(a: $T, b: $T) -> $T { math::atan2(a, b) }
                fn powf(a: $T, b: $T) -> $T { math::powf(a, b) }
                fn powi(a: $T, n: i32) -> $T { math::powi(a, n) }
                fn cosine_of_both(a: $T) -> $T { math::sin_cos(a).1 } as { math::cos(a) }
                fn ldexp(a: $T, n: i32) -> $T { math::ldexp(a, n) }
                fn mantissa(a: $T) -> $T { math::frexp(a).0 }
            }
        }
    )*};
}

functions! { f16 bf16 }
