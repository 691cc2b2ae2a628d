//! `vyre::math` on the host beside the source of the same functions.

use vyre_abi::math::{double, single};

/// Arguments of all sizes, both signs, with zeros, infinities and NaN.
fn arguments() -> impl Iterator<Item = u64> {
    let special = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324].map(f64::to_bits);
    let mut state = 1u64;
    let random = (0..20_000).map(move |_| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state ^ (state >> 29)
    });
    special.into_iter().chain(random)
}

macro_rules! have_the_bits_of_their_source {
    ($($module:ident { $($name:ident $(($p:expr))?)* })*) => {
        #[test]
        fn functions_have_the_bits_of_their_source() {
            for bits in arguments() {
                let (x, y) = (f32::from_bits((bits >> 32) as u32), f64::from_bits(bits));
                $($(
                    let (ours, source) = (vyre::math::$name(x $(, $p)?), single::$module::$name(x $(, $p)?));
                    // The bits of a NaN are unspecified.
                    assert!(
                        ours.to_bits() == source.to_bits() || ours.is_nan() && source.is_nan(),
                        concat!(stringify!($name), "({}) of f32: {}, and not {}"),
                        x, ours, source
                    );
                    let (ours, source) = (vyre::math::$name(y $(, $p)?), double::$module::$name(y $(, $p)?));
                    assert!(
                        ours.to_bits() == source.to_bits() || ours.is_nan() && source.is_nan(),
                        concat!(stringify!($name), "({}) of f64: {}, and not {}"),
                        y, ours, source
                    );
                )*)*
            }
        }
    };
}

// Copies with fused multiply-adds run where the processor has them, and never in the source called as it is.
have_the_bits_of_their_source! {
    exp { exp exp2 exp10 exp_m1 }
    log { ln log2 log10 ln_1p log(3.0) }
    trig { sin cos tan sin_pi cos_pi }
    inverse { asin acos atan atan2(0.75) }
    hyperbolic { sinh cosh tanh asinh acosh atanh sigmoid }
    roots { rsqrt cbrt hypot(2.5) }
    pow { powf(1.7) powi(-3) }
    error { erf erfc normal_cdf }
    erf_inv { erf_inv }
    gamma { gamma }
    gelu { silu gelu gelu_tanh }
    exact { ldexp(-7) }
}
