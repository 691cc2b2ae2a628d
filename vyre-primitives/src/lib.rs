//! Sums, scans, sorts and selections of whole arrays in device memory, for programs as CUB is for CUDA.
//!
//! Each function takes views, or buffers by reference, and returns a [`Call`], which runs on a stream. Kernels before and
//! after it run in order, as for any launch.
//!
//! ```
//! use vyre::prelude::*;
//!
//! # fn main() -> vyre::Result<()> {
//! let device = Device::best()?;
//! let mut keys = device.upload(&[3u32, 1, 4, 1, 5, 9, 2, 6])?;
//! let (mut total, mut sums) = (device.zeros(1)?, device.zeros(8)?);
//! vyre_primitives::sort(&mut keys).launch()?;
//! vyre_primitives::inclusive_sum(&keys, &mut sums).launch()?;
//! vyre_primitives::sum(&keys, &mut total).launch()?;
//! assert_eq!(keys.download()?, [1, 1, 2, 3, 4, 5, 6, 9]);
//! assert_eq!(sums.download()?, [1, 2, 4, 7, 11, 16, 22, 31]);
//! assert_eq!(total.download()?, [31]);
//! # Ok(())
//! # }
//! ```
//!
//! | function | result | CUB |
//! |---|---|---|
//! | [`sum`], [`product`], [`min`], [`max`] | one value of all | `DeviceReduce` |
//! | [`inclusive_sum`], [`exclusive_sum`] | sums of all elements before each | `DeviceScan` |
//! | [`sort`], [`sort_descending`] | keys in order | `DeviceRadixSort::SortKeys` |
//! | [`sort_pairs`], [`sort_pairs_descending`] | keys in order with their values, stable | `DeviceRadixSort::SortPairs` |
//! | [`histogram`], [`histogram_even`] | counts of bins, of intervals | `DeviceHistogram` |
//! | [`select`] | the elements with a flag | `DeviceSelect::Flagged` |
//! | [`unique`], [`run_starts`] | first elements of runs, their indices | `DeviceSelect::Unique`, `DeviceRunLengthEncode` |
//! | [`gather_shards`] | the filled parts of equal shards, behind each other | |
//! | [`segmented_sum`], [`segmented_min`], [`segmented_max`] | one value of each segment | `DeviceSegmentedReduce` |
//! | [`reduce_tile`], [`scan_tile`], [`select_tile`] | the same by closures, in kernels of your own | `DeviceReduce::Reduce`, `DeviceScan::InclusiveScan`, `DeviceSelect::If` |
//! | [`confirm_tile`] | the elements that pass a cheap test and a dear one, in kernels of your own | |
//! | [`Queue`], [`run_tasks`] | tasks for persistent kernels | |
//!
//! Elements are `u32`, `i32`, `f32`, `u64`, `i64` and `f64`, the types of [`Scalar`]. Every result has the same bits in
//! every run and on every device, also sums of floats: their order is fixed, and part of the contract. Of
//! [`confirm_tile`] and queues the order is free.
//!
//! Temporary memory comes from the pool of the device, in the order of the stream, and goes back to it. On a GPU nothing
//! waits.

#![warn(missing_debug_implementations)]

mod call;
mod histogram;
#[doc(hidden)]
pub mod kernels;
mod queue;
mod reduce;
mod scalar;
mod scan;
mod segments;
mod select;
mod sort;
mod value;

pub use call::Call;
pub use histogram::{Bin, Level, histogram, histogram_even};
pub use kernels::confirm::{CONFIRM_TILE, confirm_tile};
pub use kernels::queue::{push_task, run_tasks};
pub use kernels::reduce::{REDUCE_TILE, reduce_tile};
pub use kernels::scan::{SCAN_TILE, scan_state, scan_tile};
pub use kernels::select::select_tile;
pub use queue::Queue;
pub use reduce::{max, min, product, sum};
pub use scalar::Scalar;
pub use scan::{exclusive_sum, inclusive_sum};
pub use segments::{segmented_max, segmented_min, segmented_sum};
pub use select::{gather_shards, run_starts, select, unique};
pub use sort::{sort, sort_descending, sort_pairs, sort_pairs_descending};
pub use value::Value;

/// The programs of the book, as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../docs/book/src/running/primitives.md")]
    struct Primitives;
}
