//! Reductions of whole arrays.

use super::call::{Call, Queue, belongs, equal};
use super::kernels::reduce::REDUCE_TILE;
use super::scalar::{Operation, Scalar};
use vyre::{Result, View, ViewMut};

/// Writes the sum of `x` to `out`, one value (CUB `DeviceReduce::Sum`). Integers wrap; the sum of nothing is 0.
///
/// # The order
/// Floats are added in a fixed order, which depends on the length alone, so that the sum has the same bits in every run
/// and on every device. In each tile of [`REDUCE_TILE`] elements, thread `t` of 512 adds up the elements `t`, `t + 512`
/// and so on, one after the other. The sums of the threads are added as [`block::sum`](vyre::block::sum) adds them: in
/// each of 16 warps in pairs, in five steps, and then those of the warps from first to last. The sums of the tiles are
/// added in the same way again, until one is left.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut total) = (device.upload(&[0.5f32; 100_000])?, device.zeros(1)?);
/// vyre_primitives::sum(&x, &mut total).launch()?;
/// assert_eq!(total.download()?, [50_000.0]);
/// vyre_primitives::sum(x.slice(..3)?, &mut total).launch()?;
/// assert_eq!(total.download()?, [1.5]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "Sum")]
#[doc(alias = "reduce")]
pub fn sum<'c, T: Scalar>(x: impl Into<View<'c, T>>, out: impl Into<ViewMut<'c, T>>) -> Call<'c> {
    reduction("sum", Operation::Sum, T::ZERO, x.into(), out.into())
}

/// Writes the product of `x` to `out`, one value. Integers wrap; the product of nothing is 1. The order is that of
/// [`sum`].
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut out) = (device.upload(&[2u64, 3, 7])?, device.zeros(1)?);
/// vyre_primitives::product(&x, &mut out).launch()?;
/// assert_eq!(out.download()?, [42]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "reduce")]
pub fn product<'c, T: Scalar>(x: impl Into<View<'c, T>>, out: impl Into<ViewMut<'c, T>>) -> Call<'c> {
    reduction("product", Operation::Product, T::ONE, x.into(), out.into())
}

/// Writes the minimum of `x` to `out`, one value (CUB `DeviceReduce::Min`).
///
/// A number is preferred to a NaN, and -0 is less than +0. The minimum of nothing is the greatest integer, or infinity.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut least) = (device.upload(&[2.5, f64::NAN, -1.0])?, device.zeros(1)?);
/// vyre_primitives::min(&x, &mut least).launch()?;
/// assert_eq!(least.download()?, [-1.0]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "Min")]
#[doc(alias = "reduce")]
pub fn min<'c, T: Scalar>(x: impl Into<View<'c, T>>, out: impl Into<ViewMut<'c, T>>) -> Call<'c> {
    reduction("min", Operation::Min, T::GREATEST, x.into(), out.into())
}

/// Writes the maximum of `x` to `out`, one value (CUB `DeviceReduce::Max`).
///
/// A number is preferred to a NaN, and -0 is less than +0. The maximum of nothing is the least integer, or minus
/// infinity.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut most) = (device.upload(&[2, 9, -1])?, device.zeros(1)?);
/// vyre_primitives::max(&x, &mut most).launch()?;
/// assert_eq!(most.download()?, [9]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "Max")]
#[doc(alias = "reduce")]
pub fn max<'c, T: Scalar>(x: impl Into<View<'c, T>>, out: impl Into<ViewMut<'c, T>>) -> Call<'c> {
    reduction("max", Operation::Max, T::LEAST, x.into(), out.into())
}

fn reduction<'c, T: Scalar>(
    name: &'static str,
    with: Operation,
    of_nothing: T,
    x: View<'c, T>,
    out: ViewMut<'c, T>,
) -> Call<'c> {
    Call::new(name, x.device(), move |queue| {
        belongs(name, "out", &out.device(), queue.device)?;
        equal("the result", 1, "out", out.len())?;
        match x.is_empty() {
            true => queue.fill(out, of_nothing),
            false => reduce(queue, with, x, out),
        }
    })
}

/// Reduces the tiles of at least one element, and then their results.
fn reduce<T: Scalar>(queue: &Queue<'_>, with: Operation, x: View<'_, T>, out: ViewMut<'_, T>) -> Result<()> {
    let tiles = x.len().div_ceil(REDUCE_TILE);
    if tiles == 1 {
        return T::reduce(queue, with, x, out);
    }
    // SAFETY: the launch writes the result of each tile.
    let mut results = unsafe { queue.uninitialized::<T>(tiles)? };
    T::reduce(queue, with, x, results.as_view_mut())?;
    reduce(queue, with, results.as_view(), out)
}
