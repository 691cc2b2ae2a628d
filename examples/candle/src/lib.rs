//! Operations of candle whose kernels are written with vyre: the same kernels for tensors on the CPU and, with the feature
//! `cuda`, on NVIDIA GPUs, where they run on candle's stream and on candle's memory.

mod host;
mod kernels;
mod rms_norm;
mod soft_cap;

use std::ops::Range;

use candle_core::{CpuStorage, Layout, Result};

pub use rms_norm::rms_norm;
pub use soft_cap::soft_cap;

/// The elements of a tensor, which lie in the order of its dimensions, or an error of the operation.
fn elements(layout: &Layout, operation: &'static str) -> Result<Range<usize>> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(start..end),
        None => Err(candle_core::Error::RequiresContiguous { op: operation }.bt()),
    }
}

/// The values of a tensor on the CPU, which are of type `f32`.
fn values(storage: &CpuStorage) -> Result<&[f32]> {
    storage.as_slice::<f32>()
}
