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

use crate::Index3;

/// The index of this block in the grid (CUDA `blockIdx`).
#[track_caller]
pub fn idx() -> Index3 {
    crate::outside("block::idx()")
}

/// The number of threads of a block along each axis (CUDA `blockDim`), as set by the option `block` of the
/// kernel.
#[track_caller]
pub fn dim() -> Index3 {
    crate::outside("block::dim()")
}

/// Waits for all threads of the block (CUDA `__syncthreads`).
///
/// Their writes to memory before it are visible to all of them after it. Threads that have returned
/// do not count. All other threads of the block must reach the same `sync`.
#[track_caller]
pub fn sync() {
    crate::outside("block::sync()")
}

/// A barrier like [`sync`] that returns the number of threads of the block with `true` (CUDA
/// `__syncthreads_count`). Threads that have returned do not count.
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
pub fn sync_count(predicate: bool) -> usize {
    let _ = predicate;
    crate::outside("block::sync_count()")
}

/// A barrier like [`sync`] that returns whether all threads of the block that have not returned have `true`
/// (CUDA `__syncthreads_and`).
#[track_caller]
pub fn sync_and(predicate: bool) -> bool {
    let _ = predicate;
    crate::outside("block::sync_and()")
}

/// A barrier like [`sync`] that returns whether any thread of the block has `true` (CUDA `__syncthreads_or`).
#[track_caller]
pub fn sync_or(predicate: bool) -> bool {
    let _ = predicate;
    crate::outside("block::sync_or()")
}

/// A memory fence for the threads of the block (CUDA `__threadfence_block`, PTX `fence.cta`); otherwise like
/// [`grid::fence`](crate::grid::fence).
#[track_caller]
pub fn fence(order: Ordering) {
    let _ = order;
    crate::outside("block::fence()")
}
