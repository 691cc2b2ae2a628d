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
