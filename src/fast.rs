//! Fast forms of functions of mathematics, by the approximate unit of GPUs.
//!
//! They are CUDA's `__expf`, `__sinf` and the others: one or two instructions where the functions of [`math`](crate::math)
//! take ten to forty. In return they give up accuracy, and **the same bits everywhere**: a GPU computes
//! them by instructions of PTX that are called approximate, a CPU by the functions of [`math`](crate::math), and both stay
//! within the bounds that are stated here. Subnormal numbers are kept, as in CUDA without `-ftz=true`.
//!
//! They take `f32`. The host may call them too, and gets the results of kernels on the CPU.
//!
//! ```
//! use vyre::prelude::*;
//!
//! #[vyre::kernel]
//! fn weights(#[each] x: &mut f32, most: f32) {
//!     *x = fast::exp(*x - most);
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let mut x = [1.0f32, 3.0, 2.5];
//! Weights::dispatch(&Device::best()?, &mut x, 3.0)?;
//! for (x, exact) in x.into_iter().zip([-2.0f32, 0.0, -0.5]) {
//!     assert!((x / exact.exp() - 1.0).abs() < 1e-6);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `#[vyre::kernel(fast_math)]` puts them in place of the functions of [`math`](crate::math) in a whole kernel. The bounds
//! are NVIDIA's for its instructions and functions, and a little wider where an H200 was found to exceed those.

use core::f32::consts::{LN_2, LOG2_10, LOG2_E, LOG10_2};
use vyre_abi::semantics::{
    approx_cos, approx_div, approx_exp2, approx_log2, approx_recip, approx_rsqrt, approx_sin, approx_sqrt, approx_tanh,
};

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($p:ident),*) = $value:expr;)*) => { $(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name($($p: f32),*) -> f32 {
            $value
        }
    )* };
}

functions! {
    /// e^x, as 2^(x log2 e): within 3 + |1.173 x| ulp (PTX `ex2.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::exp(1.0) - core::f32::consts::E).abs() < 1e-6);
    /// ```
    exp(x) = approx_exp2(x * LOG2_E);
    /// 2^x within 2^-22.5 of the result (PTX `ex2.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::exp2(-1.0) - 0.5).abs() < 1e-7);
    /// ```
    exp2(x) = approx_exp2(x);
    /// 10^x, as 2^(x log2 10): within 3 + |2.97 x| ulp (PTX `ex2.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::exp10(2.0) - 100.0).abs() < 1e-4);
    /// ```
    exp10(x) = approx_exp2(x * LOG2_10);
    /// The natural logarithm: within 2^-21.41 for x from 1/2 to 2, and 3 ulp elsewhere (PTX `lg2.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::ln(core::f32::consts::E) - 1.0).abs() < 1e-6);
    /// ```
    ln(x) = approx_log2(x) * LN_2;
    /// The logarithm to the base 2: within 2^-22 for x from 1/2 to 2, and 2^-22 of the result elsewhere (PTX `lg2.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::log2(8.0) - 3.0).abs() < 1e-6);
    /// ```
    log2(x) = approx_log2(x);
    /// The logarithm to the base 10: within 2^-23.4 for x from 1/2 to 2, and 3 ulp elsewhere (PTX `lg2.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::log10(1000.0) - 3.0).abs() < 1e-6);
    /// ```
    log10(x) = approx_log2(x) * LOG10_2;
    /// The logarithm to any base, as log2 x / log2 base. Without a bound where one of the two logarithms is near 0.
    ///
    /// ```
    /// assert!((vyre::fast::log(9.0, 3.0) - 2.0).abs() < 1e-6);
    /// ```
    log(x, base) = approx_div(approx_log2(x), approx_log2(base));
    /// The sine of an angle in radians: within 2^-20 for |x| up to 2 pi, and 2^-14.7 up to 100 pi; without a bound for
    /// larger angles (PTX `sin.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::sin(0.5) - 0.479_425_54).abs() < 1e-6);
    /// ```
    sin(x) = approx_sin(x);
    /// The cosine of an angle in radians, with the bounds of [`sin`] (PTX `cos.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::cos(0.5) - 0.877_582_6).abs() < 1e-6);
    /// ```
    cos(x) = approx_cos(x);
    /// The tangent of an angle in radians, as the sine by the cosine. Without a bound near the zeros of the cosine.
    ///
    /// ```
    /// assert!((vyre::fast::tan(0.5) - 0.546_302_5).abs() < 1e-6);
    /// ```
    tan(x) = approx_div(approx_sin(x), approx_cos(x));
    /// The hyperbolic tangent within 2^-11 of the result (PTX `tanh.approx`, of GPUs of compute capability 7.5).
    ///
    /// ```
    /// assert!((vyre::fast::tanh(0.5) - 0.462_117_16).abs() < 3e-4);
    /// ```
    tanh(x) = approx_tanh(x);
    /// The logistic function, as 1 / (1 + e^-x): within 5 + |1.173 x| ulp (PTX `ex2.approx` and `rcp.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::sigmoid(0.0) - 0.5).abs() < 1e-6);
    /// ```
    sigmoid(x) = approx_recip(approx_exp2(x * -LOG2_E) + 1.0);
    /// 1 / sqrt(x) within 2^-22.9 of the result (PTX `rsqrt.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::rsqrt(4.0) - 0.5).abs() < 1e-6);
    /// ```
    rsqrt(x) = approx_rsqrt(x);
    /// 1 / x within 1 ulp (PTX `rcp.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::recip(4.0) - 0.25).abs() < 1e-6);
    /// ```
    recip(x) = approx_recip(x);
    /// The square root within 2^-23 of the result (PTX `sqrt.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::sqrt(2.0) - core::f32::consts::SQRT_2).abs() < 1e-6);
    /// ```
    sqrt(x) = approx_sqrt(x);
    /// x / y within 2 ulp for |y| from 2^-126 to 2^126; 0, or NaN of an infinite x, for a larger finite y on a GPU (PTX
    /// `div.approx`).
    ///
    /// ```
    /// assert!((vyre::fast::div(1.0, 3.0) - 1.0 / 3.0).abs() < 1e-7);
    /// ```
    div(x, y) = approx_div(x, y);
    /// x^y, as 2^(y log2 x), for x of 0 or more: the error grows with |y log2 x|. 0^0 is NaN.
    ///
    /// ```
    /// assert!((vyre::fast::powf(2.0, 0.5) - core::f32::consts::SQRT_2).abs() < 1e-6);
    /// ```
    powf(x, y) = approx_exp2(y * approx_log2(x));
}
