//! The indices of the running thread, and a clock.
//!
//! ```
//! use vyre::prelude::*;
//!
//! #[vyre::kernel]
//! fn places(launch: &mut [u32], block: &mut [u32]) {
//!     let i = thread::index();
//!     if i < launch.len() && i < block.len() {
//!         launch[i] = i as u32;
//!         block[i] = thread::idx().x as u32;
//!     }
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let device = Device::cpu();
//! let mut launch = device.zeros::<u32>(300)?;
//! let mut block = device.zeros::<u32>(300)?;
//! places(&mut launch, &mut block).over(300).launch(&device)?;
//! assert_eq!(launch.download()?[299], 299);
//! assert_eq!(block.download()?[299], 299 % 256); // blocks of 256 threads, unless the kernel says otherwise
//! # Ok(())
//! # }
//! ```

use crate::Index3;

/// The index of this thread in the launch, from 0, computed without wrapping.
///
/// With one axis: `block::idx().x * block::dim().x + thread::idx().x`. With two or three axes: block after
/// block, and within a block x varies fastest, then y, then z; likewise for blocks.
#[track_caller]
pub fn index() -> usize {
    crate::outside("thread::index()")
}

/// The index of this thread in a launch of two axes, `(x, y)`.
///
/// Neighbouring threads differ in x, so let x run along the rows of a row-major matrix.
#[track_caller]
pub fn index_2d() -> (usize, usize) {
    crate::outside("thread::index_2d()")
}

/// The index of this thread in a launch of three axes, `(x, y, z)`.
#[track_caller]
pub fn index_3d() -> (usize, usize, usize) {
    crate::outside("thread::index_3d()")
}

/// The index of this thread in its block (CUDA `threadIdx`).
#[track_caller]
pub fn idx() -> Index3 {
    crate::outside("thread::idx()")
}

/// A clock that advances while the thread runs (CUDA `clock64()`): cycles of the multiprocessor on a GPU,
/// nanoseconds on the CPU. Only differences between readings of one thread are meaningful, and they vary
/// between launches.
///
/// ```
/// use vyre::prelude::*;
///
/// #[vyre::kernel]
/// fn time(x: &[f32], y: &mut [f32], took: &mut [u64]) {
///     let i = thread::index();
///     if i < y.len() {
///         let start = thread::clock();
///         y[i] = x[i].sqrt();
///         took[i] = thread::clock() - start;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let (mut y, mut took) = ([0.0; 3], [0; 3]);
/// Time::dispatch(&Device::cpu(), 3, &[4.0, 9.0, 16.0], &mut y, &mut took)?;
/// assert_eq!(y, [2.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn clock() -> u64 {
    crate::outside("thread::clock()")
}
