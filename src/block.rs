//! The block of threads that share memory and wait for each other.
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

/// The place of this block in the grid (CUDA `blockIdx`).
#[track_caller]
pub fn idx() -> Index3 {
    crate::outside("block::idx()")
}

/// The number of threads of a block along each axis (CUDA `blockDim`): what the kernel's `block`
/// option says.
#[track_caller]
pub fn dim() -> Index3 {
    crate::outside("block::dim()")
}

/// Waits until every thread of the block is here (CUDA `__syncthreads`).
///
/// What they wrote to memory before, all of them see after. Threads that have left the kernel do
/// not count. All threads of the block must reach the same `sync`.
#[track_caller]
pub fn sync() {
    crate::outside("block::sync()")
}

/// Waits as [`sync`] does, and yields the number of threads of the block that give `true` (CUDA
/// `__syncthreads_count`). Threads that have left the kernel give nothing.
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

/// Waits as [`sync`] does, and yields whether all threads of the block that have not left the kernel
/// give `true` (CUDA `__syncthreads_and`).
#[track_caller]
pub fn sync_and(predicate: bool) -> bool {
    let _ = predicate;
    crate::outside("block::sync_and()")
}

/// Waits as [`sync`] does, and yields whether a thread of the block gives `true` (CUDA
/// `__syncthreads_or`).
#[track_caller]
pub fn sync_or(predicate: bool) -> bool {
    let _ = predicate;
    crate::outside("block::sync_or()")
}

/// Orders the accesses to memory before it against those after it, as the threads of the block see
/// them (CUDA `__threadfence_block`, PTX `fence.cta`); else as [`grid::fence`](crate::grid::fence).
#[track_caller]
pub fn fence(order: Ordering) {
    let _ = order;
    crate::outside("block::fence()")
}
