//! Asynchronous copies from global to shared memory (CUDA `__pipeline_memcpy_async` and so on, PTX `cp.async`).
//!
//! [`copy`] starts a copy, [`commit`] makes a group of the copies started so far, and [`wait_prior`] waits for
//! groups. A kernel can so copy the data of the next iteration while it works on the current one:
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
//! # Visibility
//! The thread that copies sees the values after the [`wait_prior`] that waits for the group, and the others
//! after a further barrier, [`block::sync`](crate::block::sync). A read before that yields the old or the new
//! value, and a write to the target, or to the source, is a race.
//!
//! # Sizes
//! A copy takes a value, `copy(&mut tile[i], &x[j])`, whose size is a multiple of 4 bytes, or consecutive
//! elements, `copy(&mut tile[i..i + 4], &x[j..j + 4])`, the same number at both ends. The number is a literal
//! of the range or a constant. Copies go in units of 16 bytes, or 8 or 4, as the size allows. If the elements
//! are smaller and not aligned to the unit in memory, they are copied one by one, so align them; elements of
//! less than 4 bytes then go through registers.
//!
//! A kernel with asynchronous copies needs a GPU of compute capability 8.0, and does not load on an older one.
//! Between other memory spaces than global to shared, and on the CPU, the copy is done at once.

/// Starts the copy of a value, or of the elements of a subslice.
///
/// ```
/// # use vyre::prelude::*;
/// /// Reverses groups of four values.
/// #[vyre::kernel(block = 32)]
/// fn reverse(x: &mut [u32]) {
///     let tile = shared::<[[u32; 4]; 32]>();
///     let (i, t) = (thread::index(), thread::idx().x);
///     pipeline::copy(&mut tile[t][0..4], &x[4 * i..4 * i + 4]);
///     pipeline::commit();
///     pipeline::wait_prior::<0>();
///     for k in 0..4 {
///         x[4 * i + k] = tile[t][3 - k];
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..128).collect();
/// Reverse::dispatch(&Device::cpu(), 32, &mut x)?;
/// assert_eq!(x[..5], [3, 2, 1, 0, 7]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn copy<T: Copied + ?Sized>(to: &mut T, from: &T) {
    let _ = (to, from);
    crate::outside("pipeline::copy()")
}

/// Makes a group of the copies that the thread has started since the last one (CUDA `__pipeline_commit`).
///
/// ```
/// # use vyre::prelude::*;
/// /// x + y, in two groups: work on `x` may begin while `y` is on its way.
/// #[vyre::kernel(block = 64)]
/// fn sums(x: &[f32], y: &[f32], sums: &mut [f32]) {
///     let tile = shared::<[[f32; 64]; 2]>();
///     let (i, t) = (thread::index(), thread::idx().x);
///     pipeline::copy(&mut tile[0][t], &x[i]);
///     pipeline::commit();
///     pipeline::copy(&mut tile[1][t], &y[i]);
///     pipeline::commit();
///     pipeline::wait_prior::<1>();
///     let root = tile[0][t].sqrt();
///     pipeline::wait_prior::<0>();
///     sums[i] = root + tile[1][t];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut sums = [0.0; 64];
/// Sums::dispatch(&Device::cpu(), 64, &[4.0; 64], &[1.0; 64], &mut sums)?;
/// assert_eq!(sums, [3.0; 64]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn commit() {
    crate::outside("pipeline::commit()")
}

/// Waits until all groups of the thread but the last `N` are complete (CUDA `__pipeline_wait_prior`). Copies
/// that are in no group yet are not waited for.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 64)]
/// fn shift(x: &[f32], y: &mut [f32]) {
///     let tile = shared::<[f32; 64]>();
///     let t = thread::idx().x;
///     pipeline::copy(&mut tile[t], &x[t]);
///     pipeline::commit();
///     pipeline::wait_prior::<0>(); // the copies of this thread are done
///     block::sync(); // and so are those of the others
///     y[t] = tile[(t + 1) % 64];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<f32> = (0..64).map(|i| i as f32).collect();
/// let mut y = [0.0; 64];
/// Shift::dispatch(&Device::cpu(), 64, &x, &mut y)?;
/// assert_eq!((y[0], y[63]), (1.0, 0.0));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn wait_prior<const N: usize>() {
    crate::outside("pipeline::wait_prior()")
}

/// Types that can be copied: `Copy` values, and slices of them.
#[diagnostic::on_unimplemented(
    message = "V0806: `{Self}` is not copied asynchronously",
    label = "only values that are `Copy`, and slices of them",
    note = "help: atomics are loaded and stored one by one"
)]
pub trait Copied {}

impl<T: Copy> Copied for T {}
impl<T: Copy> Copied for [T] {}
