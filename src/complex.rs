//! Complex numbers, in kernels and on the host with the same bits.
//!
//! A number is plain data of buffers, shared memory and parameters, aligned to its size, so that a thread loads and stores
//! it by one instruction. Names are those of the crate `num-complex`; with the feature of that name, numbers convert to
//! its and back by `From`.
//!
//! ```
//! use vyre::complex::Complex32;
//! use vyre::prelude::*;
//!
//! /// The number of steps after which z^2 + c leaves the circle of radius 2.
//! #[vyre::kernel]
//! fn mandelbrot(#[each] c: &Complex32, #[each] steps: &mut u32) {
//!     let mut z = Complex32::ZERO;
//!     while *steps < 100 && z.norm_sqr() <= 4.0 {
//!         z = z * z + *c;
//!         *steps += 1;
//!     }
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let mut steps = [0; 3];
//! let c = [Complex32::ZERO, Complex32::new(1.0, 1.0), Complex32::I];
//! Mandelbrot::dispatch(&Device::best()?, &c, &mut steps)?;
//! assert_eq!(steps, [100, 2, 100]);
//! # Ok(())
//! # }
//! ```
//!
//! Products and quotients are the plain formulas, each operation rounded: a quotient overflows or underflows where the
//! square of the divisor's absolute value does.

pub use numbers::{Complex32, Complex64};

// Its source is `vyre-front/src/modules/complex.rs`.
#[allow(clippy::assign_op_pattern, reason = "these are the assigning operators")]
mod numbers {
    vyre_macros::own_module!(complex);
}
