//! The thread block: its index, its size, and its barriers.
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// Reverses each run of 64 values.
//! #[vyre::kernel(block = 64)]
//! fn reverse_runs(values: &mut [u32]) {
//!     let run = shared::<[u32; 64]>();
//!     let i = thread::index();
//!     let t = thread::idx().x;
//!     run[t] = values[i];
//!     block::sync();
//!     values[i] = run[63 - t];
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let device = Device::cpu();
//! let numbers: Vec<u32> = (0..128).collect();
//! let mut values = device.upload(&numbers)?;
//! reverse_runs(&mut values).over(128).launch(&device)?;
//! assert_eq!(values.download()?[64..66], [127, 126]);
//! # Ok(())
//! # }
//! ```

use core::sync::atomic::Ordering;

pub use crate::barrier::{Barrier, barrier};
pub use crate::collective::{
    and, broadcast, exclusive_scan, exclusive_sum, inclusive_scan, inclusive_sum, max, min, or, product, reduce, sort,
    sort_items, sort_pair_items, sort_pairs, sum, xor,
};

use crate::Index3;

/// The index of this block in the grid (CUDA `blockIdx`).
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 64)]
/// fn blocks(#[each] y: &mut usize) {
///     *y = block::idx().x;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0; 128];
/// Blocks::dispatch(&Device::best()?, &mut y)?;
/// assert_eq!((y[63], y[64]), (0, 1));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn idx() -> Index3 {
    crate::outside("block::idx()")
}

/// The number of threads of a block along each axis (CUDA `blockDim`), as set by the option `block` of the
/// kernel.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = [16, 4])]
/// fn size(y: &mut [usize]) {
///     let (x_axis, y_axis) = thread::index_2d();
///     if x_axis == 0 && y_axis == 0 {
///         y[0] = block::dim().x;
///         y[1] = block::dim().y;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0; 2];
/// Size::dispatch(&Device::best()?, [16, 4], &mut y)?;
/// assert_eq!(y, [16, 4]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn dim() -> Index3 {
    crate::outside("block::dim()")
}

/// Waits for all threads of the block (CUDA `__syncthreads`).
///
/// Their writes to memory before it are visible to all of them after it. Threads that have returned
/// do not count. All other threads of the block must reach the same `sync`.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 128)]
/// fn reverse(x: &mut [u32]) {
///     let tile = shared::<[u32; 128]>();
///     let t = thread::idx().x;
///     tile[t] = x[t];
///     block::sync(); // all of the tile is written
///     x[t] = tile[127 - t];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..128).collect();
/// Reverse::dispatch(&Device::best()?, 128, &mut x)?;
/// assert!(x.into_iter().eq((0..128).rev()));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sync() {
    crate::outside("block::sync()")
}

/// A barrier like [`sync`] that returns the number of threads of the block with `true` (CUDA
/// `__syncthreads_count`). Threads that have returned do not count.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 128)]
/// fn count(x: &[f32], above: &mut [usize]) {
///     let count = block::sync_count(x[thread::index()] > 0.5);
///     if thread::idx().x == 0 {
///         above[block::idx().x] = count;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<f32> = (0..256).map(|i| i as f32 / 255.0).collect();
/// let mut above = [0; 2];
/// Count::dispatch(&Device::best()?, 256, &x, &mut above)?;
/// assert_eq!(above, [0, 128]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sync_count(predicate: bool) -> usize {
    let _ = predicate;
    crate::outside("block::sync_count()")
}

/// A barrier like [`sync`] that returns whether all threads of the block that have not returned have `true`
/// (CUDA `__syncthreads_and`).
///
/// ```
/// # use vyre::prelude::*;
/// /// Whether the values of each block are in order.
/// #[vyre::kernel(block = 64)]
/// fn ordered(x: &[u32], y: &mut [bool]) {
///     let i = thread::index();
///     let all = block::sync_and(thread::idx().x == 0 || x[i - 1] <= x[i]);
///     if thread::idx().x == 0 {
///         y[block::idx().x] = all;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<u32> = (0..128).map(|i| if i == 100 { 0 } else { i }).collect();
/// let mut y = [false; 2];
/// Ordered::dispatch(&Device::best()?, 128, &x, &mut y)?;
/// assert_eq!(y, [true, false]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sync_and(predicate: bool) -> bool {
    let _ = predicate;
    crate::outside("block::sync_and()")
}

/// A barrier like [`sync`] that returns whether any thread of the block has `true` (CUDA `__syncthreads_or`).
///
/// ```
/// use vyre::prelude::*;
///
/// /// Halves the values of a block until none of them is above a limit.
/// #[vyre::kernel(block = 64)]
/// fn halve(limit: u32, values: &mut [u32], rounds: &mut [u32]) {
///     let i = thread::index();
///     let mut count = 0;
///     while block::sync_or(values[i] > limit) {
///         values[i] /= 2;
///         count += 1;
///     }
///     rounds[i] = count;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let numbers: Vec<u32> = (0..128).collect();
/// let (mut values, mut rounds) = (device.upload(&numbers)?, device.zeros::<u32>(128)?);
/// halve(15, &mut values, &mut rounds).over(128).launch(&device)?;
/// assert_eq!(rounds.download()?[62..66], [2, 2, 3, 3]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sync_or(predicate: bool) -> bool {
    let _ = predicate;
    crate::outside("block::sync_or()")
}

/// A memory fence for the threads of the block (CUDA `__threadfence_block`, PTX `fence.cta`); otherwise like
/// [`grid::fence`](crate::grid::fence).
///
/// ```
/// # use vyre::prelude::*;
/// /// The largest value of each block, found by the thread that comes last.
/// #[vyre::kernel(block = 64)]
/// fn largest(x: &[u32], y: &mut [u32]) {
///     let seen = shared::<[AtomicU32; 64]>();
///     let done = shared::<[AtomicU32; 1]>();
///     let t = thread::idx().x;
///     if t == 0 {
///         done[0].store(0, Ordering::Relaxed);
///     }
///     block::sync();
///     seen[t].store(x[thread::index()], Ordering::Relaxed);
///     block::fence(Ordering::AcqRel);
///     if done[0].fetch_add(1, Ordering::Relaxed) == 63 {
///         block::fence(Ordering::AcqRel);
///         let mut most = 0;
///         for k in 0..64 {
///             most = most.max(seen[k].load(Ordering::Relaxed));
///         }
///         // One thread of the block comes last.
///         store::relaxed(&mut y[block::idx().x], most);
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<u32> = (0..128).collect();
/// let mut y = [0; 2];
/// Largest::dispatch(&Device::best()?, 128, &x, &mut y)?;
/// assert_eq!(y, [63, 127]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn fence(order: Ordering) {
    let _ = order;
    crate::outside("block::fence()")
}
