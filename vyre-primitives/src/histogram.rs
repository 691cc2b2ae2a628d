//! Histograms.

use super::call::{Call, Queue, belongs};
use super::kernels::histogram::{SHARED_BINS, bins_of_u8, bins_of_u16, bins_of_u32, blocks, even_f32, even_f64};
use core::sync::atomic::AtomicU64;
use vyre::{AtomicView, Element, Result, View, ViewMut};

/// The bins that [`histogram`] counts: `u8`, `u16` and `u32`.
///
/// ```
/// use vyre::prelude::*;
/// use vyre_primitives::Bin;
///
/// fn counts<B: Bin>(bins: &DeviceBuffer<B>, n: usize) -> vyre::Result<Vec<u64>> {
///     let mut counts = bins.device().zeros(n)?;
///     vyre_primitives::histogram(bins, &mut counts).launch()?;
///     counts.download()
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// assert_eq!(counts(&device.upload(b"abba")?, 256)?[b'b' as usize], 2);
/// assert_eq!(counts(&device.upload(&[1u32, 3, 1])?, 4)?, [0, 2, 0, 1]);
/// # Ok(())
/// # }
/// ```
pub trait Bin: Element + sealed::Count {}

/// The floats that [`histogram_even`] counts: `f32` and `f64`.
///
/// ```
/// use vyre::prelude::*;
/// use vyre_primitives::Level;
///
/// /// The numbers of values in the lower and in the upper half of a range.
/// fn halves<L: Level>(x: &DeviceBuffer<L>, lower: L, upper: L) -> vyre::Result<Vec<u64>> {
///     let mut counts = x.device().zeros(2)?;
///     vyre_primitives::histogram_even(x, lower, upper, &mut counts).launch()?;
///     counts.download()
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x = Device::best()?.upload(&[0.5f32, 3.0, 7.0, 9.5])?;
/// assert_eq!(halves(&x, 0.0, 8.0)?, [2, 1]);
/// # Ok(())
/// # }
/// ```
pub trait Level: Element + sealed::Even {}

mod sealed {
    use super::*;

    pub trait Count: Sized {
        fn count(queue: &Queue<'_>, x: View<'_, Self>, counts: AtomicView<'_, AtomicU64>) -> Result<()>;
    }

    pub trait Even: Sized {
        fn count(
            queue: &Queue<'_>,
            x: View<'_, Self>,
            range: [Self; 2],
            counts: AtomicView<'_, AtomicU64>,
        ) -> Result<()>;
    }
}

macro_rules! bins {
    ($($type:ident: $kernel:ident,)*) => { $(
        impl Bin for $type {}

        impl sealed::Count for $type {
            fn count(queue: &Queue<'_>, x: View<'_, $type>, counts: AtomicView<'_, AtomicU64>) -> Result<()> {
                let (blocks, bytes) = (blocks(x.len(), queue.device.multiprocessors()), shared_bytes(counts.len()));
                queue.launch($kernel(x, counts).grid(blocks).shared_bytes(bytes))
            }
        }
    )* };
}

macro_rules! levels {
    ($($type:ident: $kernel:ident,)*) => { $(
        impl Level for $type {}

        impl sealed::Even for $type {
            fn count(
                queue: &Queue<'_>,
                x: View<'_, $type>,
                [lower, upper]: [$type; 2],
                counts: AtomicView<'_, AtomicU64>,
            ) -> Result<()> {
                let (blocks, bytes) = (blocks(x.len(), queue.device.multiprocessors()), shared_bytes(counts.len()));
                let scale = counts.len() as $type / (upper - lower);
                let launch = $kernel(x, lower, upper, scale, counts).grid(blocks);
                queue.launch(launch.shared_bytes(bytes))
            }
        }
    )* };
}

bins! { u8: bins_of_u8, u16: bins_of_u16, u32: bins_of_u32, }
levels! { f32: even_f32, f64: even_f64, }

/// The bytes in which a block counts; none if there are too many bins.
fn shared_bytes(bins: usize) -> usize {
    if bins <= SHARED_BINS { 4 * bins } else { 0 }
}

/// Counts how often each bin occurs in `x`: `counts[b]` becomes the number of elements `b` (CUB
/// `DeviceHistogram::HistogramEven` with integers). Elements that are no index of `counts` are not counted.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut counts) = (device.upload(&[2u32, 0, 2, 7])?, device.zeros(3)?);
/// vyre_primitives::histogram(&x, &mut counts).launch()?;
/// assert_eq!(counts.download()?, [1, 0, 2]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "HistogramEven")]
#[doc(alias = "bincount")]
pub fn histogram<'c, B: Bin>(x: impl Into<View<'c, B>>, counts: impl Into<ViewMut<'c, u64>>) -> Call<'c> {
    count("histogram", x.into(), counts.into(), |queue, x, counts| {
        B::count(queue, x, counts)
    })
}

/// Counts the elements of `x` in each of `counts.len()` intervals of the same size from `lower` up to `upper` (CUB
/// `DeviceHistogram::HistogramEven`). Elements below `lower`, from `upper` on, and NaNs are not counted.
///
/// The interval of an element is `((x - lower) * (counts.len() / (upper - lower))) as usize`, and at most the last one,
/// where each operation is rounded to the type.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut counts) = (device.upload(&[0.0f32, 0.5, 0.75, 0.99, 1.0])?, device.zeros(4)?);
/// vyre_primitives::histogram_even(&x, 0.0, 1.0, &mut counts).launch()?;
/// assert_eq!(counts.download()?, [1, 0, 1, 2]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "HistogramEven")]
pub fn histogram_even<'c, L: Level>(
    x: impl Into<View<'c, L>>,
    lower: L,
    upper: L,
    counts: impl Into<ViewMut<'c, u64>>,
) -> Call<'c> {
    count("histogram_even", x.into(), counts.into(), move |queue, x, counts| {
        L::count(queue, x, [lower, upper], counts)
    })
}

fn count<'c, T: Element>(
    name: &'static str,
    x: View<'c, T>,
    mut counts: ViewMut<'c, u64>,
    launch: impl FnOnce(&Queue<'_>, View<'_, T>, AtomicView<'_, AtomicU64>) -> Result<()> + 'c,
) -> Call<'c> {
    Call::new(name, x.device(), move |queue| {
        belongs(name, "counts", &counts.device(), queue.device)?;
        queue.fill(counts.reborrow(), 0)?;
        if x.is_empty() || counts.is_empty() {
            return Ok(());
        }
        launch(queue, x, (&mut counts).into())
    })
}
