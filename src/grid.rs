//! The grid of blocks that one launch runs.

use crate::Index3;

/// The number of blocks along each axis (CUDA `gridDim`).
///
/// ```
/// use vyre::prelude::*;
///
/// /// Each thread takes every n-th element, so that any grid covers all of them.
/// #[vyre::kernel]
/// fn double(values: &mut [f32]) {
///     let stride = grid::dim().x * block::dim().x;
///     let mut i = thread::index();
///     while i < values.len() {
///         values[i] *= 2.0;
///         i += stride;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let mut values = device.upload(&[1.5f32; 5000])?;
/// double(&mut values).grid(4).launch(&device)?;
/// assert!(values.download()?.iter().all(|&v| v == 3.0));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn dim() -> Index3 {
    crate::outside("grid::dim()")
}
