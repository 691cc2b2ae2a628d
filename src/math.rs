//! The functions of mathematics, with the same bits on every device and on the host.
//!
//! Kernels call those that Rust has as methods by their own names, `x.exp()` and `y.atan2(x)`, and any of them by its
//! path, `math::erf(x)`. On the host only the functions of this module have the bits of kernels: there `x.exp()` is
//! that of the standard library, whose last bits differ from platform to platform. That is so for device functions
//! too, which are ordinary functions where the host calls them.
//!
//! ```
//! use vyre::prelude::*;
//!
//! #[vyre::kernel]
//! fn weights(#[each] x: &mut f32, most: f32) {
//!     *x = (*x - most).exp();
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let mut x = [1.0f32, 3.0, 2.5];
//! Weights::dispatch(&Device::best()?, &mut x, 3.0)?;
//! assert_eq!(x, [-2.0, 0.0, -0.5f32].map(math::exp));
//! # Ok(())
//! # }
//! ```
//!
//! All take `f32` and `f64`, and with the feature `half` also `f16` and `bf16`, which go through `f32` and are rounded
//! once more. Special values are those of IEEE 754 and of Rust's methods. Subnormal numbers are kept, and arguments are
//! of any size. The chapter on mathematics of the book has the largest errors and the methods.
//!
//! They are made of fused multiply-adds. Optimised code finds out at each call whether the processor has them, as kernels
//! on the CPU do once for a launch; with the target feature `fma` nothing is asked. An unoptimised build, and a processor
//! without them, call a function of the platform for each, which takes several times as long.

use vyre_abi::math::{double, single};

/// True if the copies of functions that are compiled with fused multiply-adds run. The bits are the same without.
#[inline]
fn has_fma() -> bool {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "fma")))]
    return vyre_runtime::body::has_fma();
    #[cfg(not(all(target_arch = "x86_64", not(target_feature = "fma"))))]
    false
}

mod sealed {
    use super::{double, has_fma, single};

    macro_rules! functions {
        ($($module:ident { $($name:ident ($($p:ident: $t:ty),*) -> $r:ty [$($s:tt)*];)* })*) => {
            /// The functions of a type.
            pub trait Functions: Copy {
                $($(fn $name(self $(, $p: $t)*) -> $r;)*)*
            }

            impl Fused for f32 {
                $($(
                    #[inline]
                    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
                    unsafe fn $name(self $(, $p: $t)*) -> $r {
                        single::$module::$name(self $(, $p)*)
                    }
                )*)*
            }

            impl Functions for f32 {
                $($(
                    #[inline]
                    fn $name(self $(, $p: $t)*) -> $r {
                        if has_fma() {
                            // SAFETY: the processor has the features.
                            return unsafe { Fused::$name(self $(, $p)*) };
                        }
                        single::$module::$name(self $(, $p)*)
                    }
                )*)*
            }

            impl Fused for f64 {
                $($(
                    #[inline]
                    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
                    unsafe fn $name(self $(, $p: $t)*) -> $r {
                        double::$module::$name(self $(, $p)*)
                    }
                )*)*
            }

            impl Functions for f64 {
                $($(
                    #[inline]
                    fn $name(self $(, $p: $t)*) -> $r {
                        if has_fma() {
                            // SAFETY: the processor has the features.
                            return unsafe { Fused::$name(self $(, $p)*) };
                        }
                        double::$module::$name(self $(, $p)*)
                    }
                )*)*
            }

            /// The same, compiled for processors with fused multiply-adds. All that they call is inlined.
            trait Fused: Copy {
                $($(
                    /// # Safety
                    /// The processor has the target features `avx2` and `fma`.
                    unsafe fn $name(self $(, $p: $t)*) -> $r;
                )*)*
            }

            #[cfg(feature = "half")]
            functions! { @half f16 $($($name ($($p: $t),*) -> $r [$($s)*];)*)* }
            #[cfg(feature = "half")]
            functions! { @half bf16 $($($name ($($p: $t),*) -> $r [$($s)*];)*)* }
        };
        (@half $ty:ident $($name:ident ($($p:ident: $t:ty),*) -> $r:ty [|$x:ident, $to:ident| $value:expr];)*) => {
            impl Functions for half::$ty {
                $(
                    #[inline]
                    fn $name(self $(, $p: $t)*) -> $r {
                        let ($x, $to) = (self.to_f32(), <Self as crate::Float>::from_f32);
                        $value
                    }
                )*
            }
        };
    }

    functions! {
        exp {
            exp() -> Self [|x, to| to(Functions::exp(x))];
            exp2() -> Self [|x, to| to(Functions::exp2(x))];
            exp10() -> Self [|x, to| to(Functions::exp10(x))];
            exp_m1() -> Self [|x, to| to(Functions::exp_m1(x))];
        }
        log {
            ln() -> Self [|x, to| to(Functions::ln(x))];
            log2() -> Self [|x, to| to(Functions::log2(x))];
            log10() -> Self [|x, to| to(Functions::log10(x))];
            ln_1p() -> Self [|x, to| to(Functions::ln_1p(x))];
            log(base: Self) -> Self [|x, to| to(Functions::log(x, base.to_f32()))];
        }
        trig {
            sin() -> Self [|x, to| to(Functions::sin(x))];
            cos() -> Self [|x, to| to(Functions::cos(x))];
            tan() -> Self [|x, to| to(Functions::tan(x))];
            sin_cos() -> (Self, Self) [|x, to| { let (s, c) = Functions::sin_cos(x); (to(s), to(c)) }];
            sin_pi() -> Self [|x, to| to(Functions::sin_pi(x))];
            cos_pi() -> Self [|x, to| to(Functions::cos_pi(x))];
        }
        inverse {
            asin() -> Self [|x, to| to(Functions::asin(x))];
            acos() -> Self [|x, to| to(Functions::acos(x))];
            atan() -> Self [|x, to| to(Functions::atan(x))];
            atan2(other: Self) -> Self [|x, to| to(Functions::atan2(x, other.to_f32()))];
        }
        hyperbolic {
            sinh() -> Self [|x, to| to(Functions::sinh(x))];
            cosh() -> Self [|x, to| to(Functions::cosh(x))];
            tanh() -> Self [|x, to| to(Functions::tanh(x))];
            asinh() -> Self [|x, to| to(Functions::asinh(x))];
            acosh() -> Self [|x, to| to(Functions::acosh(x))];
            atanh() -> Self [|x, to| to(Functions::atanh(x))];
            sigmoid() -> Self [|x, to| to(Functions::sigmoid(x))];
        }
        roots {
            rsqrt() -> Self [|x, to| to(Functions::rsqrt(x))];
            cbrt() -> Self [|x, to| to(Functions::cbrt(x))];
            hypot(y: Self) -> Self [|x, to| to(Functions::hypot(x, y.to_f32()))];
        }
        pow {
            powf(y: Self) -> Self [|x, to| to(Functions::powf(x, y.to_f32()))];
            powi(n: i32) -> Self [|x, to| to(Functions::powi(x, n))];
        }
        error {
            erf() -> Self [|x, to| to(Functions::erf(x))];
            erfc() -> Self [|x, to| to(Functions::erfc(x))];
            normal_cdf() -> Self [|x, to| to(Functions::normal_cdf(x))];
        }
        erf_inv {
            erf_inv() -> Self [|x, to| to(Functions::erf_inv(x))];
        }
        gamma {
            gamma() -> Self [|x, to| to(Functions::gamma(x))];
            ln_gamma() -> (Self, i32) [|x, to| { let (y, sign) = Functions::ln_gamma(x); (to(y), sign) }];
        }
        gelu {
            silu() -> Self [|x, to| to(Functions::silu(x))];
            gelu() -> Self [|x, to| to(Functions::gelu(x))];
            gelu_tanh() -> Self [|x, to| to(Functions::gelu_tanh(x))];
        }
        exact {
            ldexp(n: i32) -> Self [|x, to| to(Functions::ldexp(x, n))];
            frexp() -> (Self, i32) [|x, to| { let (m, n) = Functions::frexp(x); (to(m), n) }];
        }
    }
}

/// The numbers that the functions take: `f32` and `f64`; with the feature `half` also `f16` and `bf16`.
pub trait Real: sealed::Functions {}

impl Real for f32 {}
impl Real for f64 {}
#[cfg(feature = "half")]
impl Real for half::f16 {}
#[cfg(feature = "half")]
impl Real for half::bf16 {}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($x:ident $(, $p:ident: $t:ty)*) -> $r:ty;)*) => { $(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name<T: Real>($x: T $(, $p: $t)*) -> $r {
            sealed::Functions::$name($x $(, $p)*)
        }
    )* };
}

functions! {
    /// e^x.
    ///
    /// ```
    /// assert_eq!(vyre::math::exp(1.0f32), core::f32::consts::E);
    /// assert_eq!(vyre::math::exp(f64::NEG_INFINITY), 0.0);
    /// ```
    exp(x) -> T;
    /// 2^x; exact for whole numbers.
    exp2(x) -> T;
    /// 10^x.
    ///
    /// ```
    /// assert_eq!(vyre::math::exp10(2.0f32), 100.0);
    /// ```
    exp10(x) -> T;
    /// e^x - 1, exact for small x.
    exp_m1(x) -> T;
    /// The natural logarithm; NaN below 0.
    ///
    /// ```
    /// assert_eq!(vyre::math::ln(0.0f64), f64::NEG_INFINITY);
    /// ```
    ln(x) -> T;
    /// The logarithm to the base 2; NaN below 0.
    log2(x) -> T;
    /// The logarithm to the base 10; NaN below 0.
    log10(x) -> T;
    /// ln(1 + x), exact for small x; NaN below -1.
    ln_1p(x) -> T;
    /// The logarithm to any base: ln(x) / ln(base).
    log(x, base: T) -> T;
    /// The sine of an angle in radians.
    ///
    /// ```
    /// // Right for large angles too: the nearest number to the sine of exactly 1e22.
    /// assert_eq!(vyre::math::sin(1e22f64), -0.8522008497671888);
    /// ```
    sin(x) -> T;
    /// The cosine of an angle in radians.
    cos(x) -> T;
    /// The tangent of an angle in radians.
    tan(x) -> T;
    /// The sine and the cosine of an angle in radians, for less than the cost of both.
    sin_cos(x) -> (T, T);
    /// sin(pi x), with 0 for whole numbers.
    ///
    /// ```
    /// assert_eq!(vyre::math::sin_pi(0.5f32), 1.0);
    /// assert_eq!(vyre::math::sin_pi(1e20f32), 0.0);
    /// ```
    sin_pi(x) -> T;
    /// cos(pi x), with 0 half-way between whole numbers.
    cos_pi(x) -> T;
    /// The arc sine in radians, from -pi/2 to pi/2; NaN for |x| above 1.
    asin(x) -> T;
    /// The arc cosine in radians, from 0 to pi; NaN for |x| above 1.
    acos(x) -> T;
    /// The arc tangent in radians, from -pi/2 to pi/2.
    atan(x) -> T;
    /// The angle of the point (x, y) in radians, from -pi to pi: `atan2(y, x)`.
    ///
    /// ```
    /// assert_eq!(vyre::math::atan2(1.0f32, -0.0), core::f32::consts::FRAC_PI_2);
    /// ```
    atan2(y, x: T) -> T;
    /// The hyperbolic sine.
    sinh(x) -> T;
    /// The hyperbolic cosine.
    cosh(x) -> T;
    /// The hyperbolic tangent.
    tanh(x) -> T;
    /// The inverse hyperbolic sine.
    asinh(x) -> T;
    /// The inverse hyperbolic cosine; NaN below 1.
    acosh(x) -> T;
    /// The inverse hyperbolic tangent; NaN for |x| above 1.
    atanh(x) -> T;
    /// The logistic function 1 / (1 + e^-x).
    ///
    /// ```
    /// assert_eq!(vyre::math::sigmoid(0.0f32), 0.5);
    /// ```
    sigmoid(x) -> T;
    /// 1 / sqrt(x); NaN below 0.
    rsqrt(x) -> T;
    /// The cube root.
    ///
    /// ```
    /// assert_eq!(vyre::math::cbrt(-27.0f64), -3.0);
    /// ```
    cbrt(x) -> T;
    /// sqrt(x^2 + y^2), without overflow in between.
    hypot(x, y: T) -> T;
    /// x^y.
    ///
    /// ```
    /// assert_eq!(vyre::math::powf(2.0f32, -0.5), core::f32::consts::FRAC_1_SQRT_2);
    /// assert!(vyre::math::powf(-2.0f32, 0.5).is_nan());
    /// ```
    powf(x, y: T) -> T;
    /// x^n, as accurate as [`powf`].
    powi(x, n: i32) -> T;
    /// The error function: 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x.
    erf(x) -> T;
    /// 1 - erf(x), accurate for large x too.
    ///
    /// ```
    /// assert!(vyre::math::erfc(9.0f32) > 4.1e-37);
    /// assert_eq!(1.0 - vyre::math::erf(9.0f32), 0.0);
    /// ```
    erfc(x) -> T;
    /// The probability that a normally distributed number with mean 0 and variance 1 is less than x.
    normal_cdf(x) -> T;
    /// The inverse of [`erf`]; infinite at -1 and 1, NaN outside.
    ///
    /// ```
    /// assert_eq!(vyre::math::erf_inv(0.5f32), 0.47693628);
    /// ```
    erf_inv(x) -> T;
    /// The gamma function, which is (n - 1)! for whole n above 0; NaN for negative integers, infinite at 0.
    ///
    /// ```
    /// assert_eq!(vyre::math::gamma(6.0f64), 120.0);
    /// ```
    gamma(x) -> T;
    /// (y, sign), where y is the natural logarithm of the absolute value of [`gamma`], and sign is 1 or -1.
    ///
    /// Between -11 and -2.2, where y has zeros, its absolute error is small, but not the relative one.
    ///
    /// ```
    /// let (y, sign) = vyre::math::ln_gamma(-0.5f64);
    /// assert_eq!((y, sign), (1.2655121234846454, -1));
    /// ```
    ln_gamma(x) -> (T, i32);
    /// x times [`sigmoid`] of x (also called swish), with one division; 0 at negative infinity.
    ///
    /// ```
    /// assert_eq!(vyre::math::silu(f32::NEG_INFINITY), 0.0);
    /// ```
    silu(x) -> T;
    /// x times [`normal_cdf`] of x, with the digits of that kept where it is subnormal; 0 at negative infinity.
    ///
    /// ```
    /// assert_eq!(vyre::math::gelu(2.0f32), 1.9544997);
    /// ```
    gelu(x) -> T;
    /// [`gelu`] by the hyperbolic tangent (D. Hendrycks and K. Gimpel, *Gaussian error linear units*, 2016),
    /// x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2, at the cost of [`silu`] and with all digits below 0.
    ///
    /// ```
    /// assert_eq!(vyre::math::gelu_tanh(2.0f32), 1.9545978);
    /// ```
    gelu_tanh(x) -> T;
    /// x * 2^n, rounded once.
    ///
    /// ```
    /// assert_eq!(vyre::math::ldexp(0.75f32, 3), 6.0);
    /// ```
    ldexp(x, n: i32) -> T;
    /// (m, n) with x = m * 2^n and |m| from 1/2 to 1, 1 excluded; (x, 0) where x is 0, infinite or NaN.
    ///
    /// ```
    /// assert_eq!(vyre::math::frexp(6.0f32), (0.75, 3));
    /// ```
    frexp(x) -> (T, i32);
}
