//! Selections of elements.

use super::call::{Call, Queue, belongs, equal};
use super::kernels::scan::scan_state;
use super::kernels::select::{blocks, filled_parts, flagged, threads};
use super::scalar::Scalar;
use core::sync::atomic::AtomicU64;
use vyre::{AtomicView, DeviceBuffer, Result, View, ViewMut};
use vyre_runtime::kernel::{reinterpret, reinterpret_mut};

/// Writes the elements of `x` whose flag is `true` to the start of `y`, in their order, and their number to `count`, one
/// value (CUB `DeviceSelect::Flagged`).
///
/// If `y` is shorter than their number, it gets the first of them. Elements of `y` behind them are not written.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, flags) = (device.upload(&[5, 6, 7, 8])?, device.upload(&[true, false, false, true])?);
/// let (mut y, mut count) = (device.zeros(4)?, device.zeros(1)?);
/// vyre_primitives::select(&x, &flags, &mut y, &mut count).launch()?;
/// assert_eq!((y.download()?, count.download()?), (vec![5, 8, 0, 0], vec![2]));
/// # Ok(())
/// # }
/// ```
#[doc(alias = "Flagged")]
#[doc(alias = "compact")]
#[doc(alias = "filter")]
pub fn select<'c, T: Scalar>(
    x: impl Into<View<'c, T>>,
    flags: impl Into<View<'c, bool>>,
    y: impl Into<ViewMut<'c, T>>,
    count: impl Into<ViewMut<'c, u64>>,
) -> Call<'c> {
    let (x, flags, y, mut count) = (x.into(), flags.into(), y.into(), count.into());
    Call::new("select", x.device(), move |queue| {
        belongs("select", "flags", &flags.device(), queue.device)?;
        belongs("select", "y", &y.device(), queue.device)?;
        equal("x", x.len(), "flags", flags.len())?;
        let Some(mut state) = state("select", queue, x.len(), &mut count)? else {
            return Ok(());
        };
        let (state, blocks) = (state.as_atomics(), blocks(x.len(), queue.device.multiprocessors()));
        // SAFETY: all bits are values of numbers, and the sizes are the same.
        unsafe {
            if size_of::<T>() == 4 {
                let (x, y) = (reinterpret::<T, u32>(x), reinterpret_mut::<T, u32>(y));
                queue.launch(flagged(x, flags, y, count, state).grid(blocks))
            } else {
                let (x, y) = (reinterpret::<T, u64>(x), reinterpret_mut::<T, u64>(y));
                queue.launch(flagged(x, flags, y, count, state).grid(blocks))
            }
        }
    })
}

/// Writes the filled parts of shards to the start of `y`, behind each other: for diagnostics that many blocks have written,
/// each into a shard of its own, and that the host reads at once. All shards have the same length, and shard `i` is filled
/// with `counts[i]` elements. `found` gets two numbers: that of all these elements, and that of those which found no
/// room, where a count is more than the length of a shard.
///
/// If `y` is shorter than the number of elements, it gets the first of them.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let notes = device.upload(&[1u32, 0, 0, 2, 3, 4, 0, 0, 0])?; // three shards of three
/// let counts = device.upload(&[1u64, 5, 0])?; // two of the second shard are lost
/// let (mut y, mut found) = (device.zeros(9)?, device.zeros(2)?);
/// vyre_primitives::gather_shards(&notes, &counts, &mut y, &mut found).launch()?;
/// assert_eq!((y.slice(..4)?.download()?, found.download()?), (vec![1, 2, 3, 4], vec![4, 2]));
/// # Ok(())
/// # }
/// ```
pub fn gather_shards<'c, T: Scalar>(
    x: impl Into<View<'c, T>>,
    counts: impl Into<View<'c, u64>>,
    y: impl Into<ViewMut<'c, T>>,
    found: impl Into<ViewMut<'c, u64>>,
) -> Call<'c> {
    const NAME: &str = "gather_shards";
    let (x, counts, y, found) = (x.into(), counts.into(), y.into(), found.into());
    Call::new(NAME, x.device(), move |queue| {
        belongs(NAME, "counts", &counts.device(), queue.device)?;
        belongs(NAME, "y", &y.device(), queue.device)?;
        belongs(NAME, "found", &found.device(), queue.device)?;
        equal("the numbers", 2, "found", found.len())?;
        let room = x.len().checked_div(counts.len()).unwrap_or(0);
        equal("whole shards", room * counts.len(), "x", x.len())?;
        if x.is_empty() {
            equal("whole shards", 0, "counts", counts.len())?;
            return queue.fill(found, 0);
        }
        let mut state = queue.zeros(scan_state::<u64>(x.len()))?;
        let (state, domain): (AtomicView<'_, AtomicU64>, _) = (state.as_atomics(), threads(x.len()));
        // SAFETY: all bits are values of numbers, and the sizes are the same.
        unsafe {
            if size_of::<T>() == 4 {
                let (x, y) = (reinterpret::<T, u32>(x), reinterpret_mut::<T, u32>(y));
                let launch = filled_parts(x, counts, room, y, found, state).over(domain);
                queue.launch(launch)
            } else {
                let (x, y) = (reinterpret::<T, u64>(x), reinterpret_mut::<T, u64>(y));
                let launch = filled_parts(x, counts, room, y, found, state).over(domain);
                queue.launch(launch)
            }
        }
    })
}

/// Writes the first element of each run of equal elements to the start of `y`, and the number of runs to `count`, one
/// value (CUB `DeviceSelect::Unique`). Of a sorted array these are its distinct elements.
///
/// Elements are equal by `==`, as for [`Vec::dedup`]: each NaN is a run of its own. If `y` is shorter than the number of
/// runs, it gets the first of them.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x = device.upload(&[5, 5, 7, 5, 5, 5])?;
/// let (mut y, mut count) = (device.zeros(6)?, device.zeros(1)?);
/// vyre_primitives::unique(&x, &mut y, &mut count).launch()?;
/// assert_eq!(count.download()?, [3]);
/// assert_eq!(y.slice(..3)?.download()?, [5, 7, 5]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "Unique")]
#[doc(alias = "dedup")]
pub fn unique<'c, T: Scalar>(
    x: impl Into<View<'c, T>>,
    y: impl Into<ViewMut<'c, T>>,
    count: impl Into<ViewMut<'c, u64>>,
) -> Call<'c> {
    let (x, y, mut count) = (x.into(), y.into(), count.into());
    Call::new("unique", x.device(), move |queue| {
        belongs("unique", "y", &y.device(), queue.device)?;
        match state("unique", queue, x.len(), &mut count)? {
            Some(mut state) => T::unique(queue, x, y, count, state.as_atomics()),
            None => Ok(()),
        }
    })
}

/// Writes the index of the first element of each run of equal elements to `starts`, behind them the length of `x`, and
/// the number of runs to `count`, one value (CUB `DeviceRunLengthEncode`).
///
/// Run `i` is `starts[i]..starts[i + 1]`, so that the starts are the offsets of
/// [`segmented_sum`](crate::segmented_sum) and the others. Elements are compared as by [`unique`]. If
/// `starts` is shorter than the number of runs and one more, it gets the first of these indices.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (keys, values) = (device.upload(&[5, 5, 7, 5, 5, 5])?, device.upload(&[0.5f32; 6])?);
/// let (mut starts, mut count) = (device.zeros(7)?, device.zeros(1)?);
/// vyre_primitives::run_starts(&keys, &mut starts, &mut count).launch()?;
/// let runs = count.download()?[0] as usize;
/// assert_eq!(starts.slice(..runs + 1)?.download()?, [0, 2, 3, 6]);
///
/// let mut sums = device.zeros(runs)?; // the sum of the values of each run of keys
/// vyre_primitives::segmented_sum(&values, starts.slice(..runs + 1)?, &mut sums).launch()?;
/// assert_eq!(sums.download()?, [1.0, 0.5, 1.5]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "RunLengthEncode")]
pub fn run_starts<'c, T: Scalar>(
    x: impl Into<View<'c, T>>,
    starts: impl Into<ViewMut<'c, u64>>,
    count: impl Into<ViewMut<'c, u64>>,
) -> Call<'c> {
    let (x, mut starts, mut count) = (x.into(), starts.into(), count.into());
    Call::new("run_starts", x.device(), move |queue| {
        belongs("run_starts", "starts", &starts.device(), queue.device)?;
        match state("run_starts", queue, x.len(), &mut count)? {
            Some(mut state) => T::run_starts(queue, x, starts, count, state.as_atomics()),
            None if starts.is_empty() => Ok(()),
            None => queue.fill(starts.slice_mut(..1)?, 0),
        }
    })
}

/// The state of a selection from so many elements; for none, writes their number, 0.
fn state(
    name: &'static str,
    queue: &Queue<'_>,
    length: usize,
    count: &mut ViewMut<'_, u64>,
) -> Result<Option<DeviceBuffer<u64>>> {
    belongs(name, "count", &count.device(), queue.device)?;
    equal("the number", 1, "count", count.len())?;
    if length == 0 {
        queue.fill(count.reborrow(), 0)?;
        return Ok(None);
    }
    queue.zeros(scan_state::<u64>(length)).map(Some)
}
