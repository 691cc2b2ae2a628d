//! The functions of mathematics, written once in plain Rust: [`single`] for `f32`, [`double`] for `f64`.
//!
//! The host calls these functions, and kernels call the same: [`SINGLE`] and [`DOUBLE`] are their source, which the
//! compiler reads as it reads a device function. So they stay within what kernels support, add and multiply integers
//! only where that does not overflow (or by `wrapping_add`), and use no operation that is not exact or correctly
//! rounded: bits are then the same everywhere. A function may call others of its own module, and of modules that it
//! imports by `use super::module::..`.
//!
//! Coefficients are those that `scripts/minimax` prints.

#![allow(
    clippy::approx_constant,
    clippy::excessive_precision,
    reason = "constants are split into parts, and polynomials come close to series"
)]
#![allow(
    clippy::manual_range_contains,
    reason = "the source is read without the standard library, whose `contains` costs a kernel more to expand"
)]
#![allow(
    clippy::manual_clamp,
    reason = "a clamp keeps a NaN, which two limits replace by one of them"
)]

pub mod double;
pub mod normal;
pub mod single;

macro_rules! sources {
    ($folder:literal $($module:literal)*) => {
        &[$(($module, include_str!(concat!($folder, "/", $module, ".rs")))),*]
    };
}

/// The modules of [`single`], by name, with their source.
pub const SINGLE: &[(&str, &str)] =
    sources!("single" "exp" "log" "trig" "inverse" "hyperbolic" "roots" "pow" "error" "erf_inv" "gamma" "gelu" "exact");
/// The modules of [`double`], by name, with their source.
pub const DOUBLE: &[(&str, &str)] =
    sources!("double" "exp" "log" "trig" "inverse" "hyperbolic" "roots" "pow" "error" "erf_inv" "gamma" "gelu" "exact");
