//! Reductions of the segments of an array.

use super::call::{Call, belongs, equal};
use super::scalar::{Operation, Scalar};
use vyre::{View, ViewMut};

/// Writes the sum of each segment of `x` to `y` (CUB `DeviceSegmentedReduce::Sum`): that of
/// `x[offsets[i]..offsets[i + 1]]` to `y[i]`. There is one offset more than segments.
///
/// Integers wrap, and the sum of an empty segment is 0. Floats are added in a fixed order: thread `t` of 256 adds up the
/// elements `t`, `t + 256` and so on of the segment, and their sums are added as
/// [`block::sum`](vyre::block::sum) adds them. Segments of up to 1024 elements take one warp each, longer ones a block.
///
/// Offsets that do not ascend, or that exceed the length of `x`, are a fault of the kernel.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, offsets) = (device.upload(&[1, 2, 3, 4, 5])?, device.upload(&[0, 2, 2, 5])?);
/// let mut sums = device.zeros(3)?;
/// vyre_primitives::segmented_sum(&x, &offsets, &mut sums).launch()?;
/// assert_eq!(sums.download()?, [3, 0, 12]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "SegmentedReduce")]
#[doc(alias = "reduce_by_key")]
pub fn segmented_sum<'c, T: Scalar>(
    x: impl Into<View<'c, T>>,
    offsets: impl Into<View<'c, u64>>,
    y: impl Into<ViewMut<'c, T>>,
) -> Call<'c> {
    segments("segmented_sum", Operation::Sum, x.into(), offsets.into(), y.into())
}

/// Writes the minimum of each segment of `x` to `y` (CUB `DeviceSegmentedReduce::Min`), otherwise as [`segmented_sum`].
/// Minima are those of [`min`](crate::min).
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, offsets) = (device.upload(&[4.0f32, 2.0, 3.0])?, device.upload(&[0, 2, 3, 3])?);
/// let mut least = device.zeros(3)?;
/// vyre_primitives::segmented_min(&x, &offsets, &mut least).launch()?;
/// assert_eq!(least.download()?, [2.0, 3.0, f32::INFINITY]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "SegmentedReduce")]
pub fn segmented_min<'c, T: Scalar>(
    x: impl Into<View<'c, T>>,
    offsets: impl Into<View<'c, u64>>,
    y: impl Into<ViewMut<'c, T>>,
) -> Call<'c> {
    segments("segmented_min", Operation::Min, x.into(), offsets.into(), y.into())
}

/// Writes the maximum of each segment of `x` to `y` (CUB `DeviceSegmentedReduce::Max`), otherwise as [`segmented_sum`].
/// Maxima are those of [`max`](crate::max).
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, offsets) = (device.upload(&[4u32, 2, 3])?, device.upload(&[0, 2, 3, 3])?);
/// let mut most = device.zeros(3)?;
/// vyre_primitives::segmented_max(&x, &offsets, &mut most).launch()?;
/// assert_eq!(most.download()?, [4, 3, 0]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "SegmentedReduce")]
pub fn segmented_max<'c, T: Scalar>(
    x: impl Into<View<'c, T>>,
    offsets: impl Into<View<'c, u64>>,
    y: impl Into<ViewMut<'c, T>>,
) -> Call<'c> {
    segments("segmented_max", Operation::Max, x.into(), offsets.into(), y.into())
}

fn segments<'c, T: Scalar>(
    name: &'static str,
    with: Operation,
    x: View<'c, T>,
    offsets: View<'c, u64>,
    y: ViewMut<'c, T>,
) -> Call<'c> {
    Call::new(name, x.device(), move |queue| {
        belongs(name, "offsets", &offsets.device(), queue.device)?;
        belongs(name, "y", &y.device(), queue.device)?;
        equal("segments and one more", y.len() + 1, "offsets", offsets.len())?;
        T::segments(queue, with, x, offsets, y)
    })
}
