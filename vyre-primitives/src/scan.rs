//! Prefix sums of whole arrays.

use super::call::{Call, belongs, equal};
use super::kernels::scan::words;
use super::scalar::Scalar;
use vyre::{View, ViewMut};

/// Writes the sum of `x[0]` to `x[i]` to `y[i]` (CUB `DeviceScan::InclusiveSum`). Integers wrap.
///
/// # The order
/// Floats are added in a fixed order, which depends on the length alone, so that the sums have the same bits in every
/// run and on every device. A tile has 256 threads, each with 25 elements of 32 bits or 11 of 64, which it adds up from
/// first to last. The sums of the threads are scanned as [`block::inclusive_scan`](vyre::block::inclusive_scan) does
/// it. 32 tiles are a group, whose sums are scanned as those of a warp are, and the sums of groups are added from first to
/// last. A result is ((the sum of the groups before + that of the tiles before in the group) + that of the threads before
/// in the tile) + that of the thread up to the element.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut y) = (device.upload(&[3, 1, 4, 1])?, device.zeros(4)?);
/// vyre_primitives::inclusive_sum(&x, &mut y).launch()?;
/// assert_eq!(y.download()?, [3, 4, 8, 9]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "InclusiveSum")]
#[doc(alias = "inclusive_scan")]
pub fn inclusive_sum<'c, T: Scalar>(x: impl Into<View<'c, T>>, y: impl Into<ViewMut<'c, T>>) -> Call<'c> {
    scan("inclusive_sum", false, x.into(), y.into())
}

/// Writes the sum of the elements before `x[i]` to `y[i]`, 0 to `y[0]` (CUB `DeviceScan::ExclusiveSum`). Integers wrap;
/// the order is that of [`inclusive_sum`].
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut y) = (device.upload(&[3, 1, 4, 1])?, device.zeros(4)?);
/// vyre_primitives::exclusive_sum(&x, &mut y).launch()?;
/// assert_eq!(y.download()?, [0, 3, 4, 8]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "ExclusiveSum")]
#[doc(alias = "exclusive_scan")]
pub fn exclusive_sum<'c, T: Scalar>(x: impl Into<View<'c, T>>, y: impl Into<ViewMut<'c, T>>) -> Call<'c> {
    scan("exclusive_sum", true, x.into(), y.into())
}

fn scan<'c, T: Scalar>(name: &'static str, exclusive: bool, x: View<'c, T>, y: ViewMut<'c, T>) -> Call<'c> {
    Call::new(name, x.device(), move |queue| {
        belongs(name, "y", &y.device(), queue.device)?;
        equal("x", x.len(), "y", y.len())?;
        let mut state = queue.zeros::<u64>(words::<T>(x.len()))?;
        T::scan(queue, x, y, exclusive, state.as_atomics())
    })
}
