//! Copies from global into shared memory that go on while the thread does something else (CUDA
//! `__pipeline_memcpy_async` and its like, PTX `cp.async`).
//!
//! [`copy`] begins one, [`commit`] makes a group of those that were begun, and [`wait_prior`] waits for groups.
//! So a kernel copies what it needs in the next round while it works on what it has:
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// Of each row of 64 numbers the sums over windows of 3, where there are such.
//! #[vyre::kernel(block = 64)]
//! fn windows(rows: usize, x: &[f32], y: &mut [f32]) {
//!     let tile = shared::<[[f32; 64]; 2]>();
//!     let t = thread::idx().x;
//!     pipeline::copy(&mut tile[0][t], &x[t]);
//!     pipeline::commit();
//!     for row in 0..rows {
//!         if row + 1 < rows {
//!             pipeline::copy(&mut tile[(row + 1) % 2][t], &x[(row + 1) * 64 + t]);
//!         }
//!         pipeline::commit();
//!         // All groups but the last one are done.
//!         pipeline::wait_prior::<1>();
//!         block::sync();
//!         if t > 0 && t < 63 {
//!             let row_tile = &tile[row % 2];
//!             y[row * 64 + t] = row_tile[t - 1] + row_tile[t] + row_tile[t + 1];
//!         }
//!         block::sync();
//!     }
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let device = Device::cpu();
//! let x = device.upload(&[1.0; 5 * 64])?;
//! let mut y = device.zeros(5 * 64)?;
//! windows(5, &x, &mut y).grid(1).launch(&device)?;
//! assert_eq!(y.download()?[4 * 64..][..3], [0.0, 3.0, 3.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # When the values are there
//! For the thread that copies, after the [`wait_prior`] that waits for the group; for others, after a barrier behind
//! that, [`block::sync`](crate::block::sync). Before, reading the place yields the old value or the new one, and
//! writing to it, or to what is copied, is a race.
//!
//! # What is copied
//! A value, `copy(&mut tile[i], &x[j])`, whose size is 4 bytes or a multiple of them; or neighbours,
//! `copy(&mut tile[i..i + 4], &x[j..j + 4])`, as many at both ends. How many is written in the range or a
//! constant. 16 bytes at a time are copied, or 8 or 4, as their number allows. Where the elements are smaller and
//! do not lie at a multiple of that in memory, they are copied one by one, so it is best that they do; elements
//! of less than 4 bytes then go through registers.
//!
//! A kernel with them needs a GPU of compute capability 8.0, and does not load on an older one. Between
//! other memories than from global to shared, and on the CPU, the copy is done at once.

/// Begins to copy a value, or the elements of a part of an array or slice.
#[track_caller]
pub fn copy<T: Copied + ?Sized>(to: &mut T, from: &T) {
    let _ = (to, from);
    crate::outside("pipeline::copy()")
}

/// Makes a group of the copies that the thread has begun since the last one (CUDA `__pipeline_commit`).
#[track_caller]
pub fn commit() {
    crate::outside("pipeline::commit()")
}

/// Waits until all of the thread's groups but the last `N` are done (CUDA `__pipeline_wait_prior`). Copies that
/// are in no group yet are not waited for.
#[track_caller]
pub fn wait_prior<const N: usize>() {
    crate::outside("pipeline::wait_prior()")
}

/// What may be copied: values that are `Copy`, and slices of them.
#[diagnostic::on_unimplemented(
    message = "V0806: `{Self}` is not copied asynchronously",
    label = "only values that are `Copy`, and slices of them",
    note = "help: atomics are loaded and stored one by one"
)]
pub trait Copied {}

impl<T: Copy> Copied for T {}
impl<T: Copy> Copied for [T] {}
