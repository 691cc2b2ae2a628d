//! Launches that are timed.

use std::time::{Duration, Instant};

use super::Launch;
use super::kernel::Kernel;
use crate::backend::Moment;
use crate::device::Device;
use crate::error::Result;

/// How long a launch took.
///
/// ```
/// # use vyre::prelude::*;
/// # #[vyre::kernel]
/// # fn twice(#[each] x: &mut u32) {
/// #     *x *= 2;
/// # }
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut x = device.zeros(1 << 20)?;
/// let timing = twice(&mut x).over(1 << 20).launch_timed(&device)?;
/// if let Some(time) = timing.device {
///     println!("{:.1} GB/s", 2.0 * 4.0 * x.len() as f64 / time.as_secs_f64() / 1e9);
/// }
/// assert_eq!(timing.wall, timing.enqueue + timing.wait);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Timing {
    /// From the call to the end of the work, on the host.
    pub wall: Duration,
    /// The kernel, on the device: between two events around it. `None` for an empty domain. On a GPU whose stream
    /// is idle it has a few microseconds more, in which the host hands the launch over.
    pub device: Option<Duration>,
    /// In which the launch was checked and queued; on the CPU, and ran.
    pub enqueue: Duration,
    /// In which the host waited. With `enqueue` it makes up `wall`.
    pub wait: Duration,
}

impl<K: Kernel> Launch<K> {
    /// Launches, waits, and says how long it took. The kernel is loaded before the time of the device begins, and
    /// waits of the stream for other streams do not count for the device.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1; 1000])?;
    /// let timing = twice(&mut x).over(1000).launch_timed(&device)?;
    /// println!("{:?} on the device, {:?} in all", timing.device, timing.wall);
    /// assert_eq!(x.download()?, [2; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`launch`](Launch::launch), and the kernel's own fault, as [`Error::Fault`](crate::Error::Fault). Of
    /// a launch that faulted there is no time.
    pub fn launch_timed(self, device: &Device) -> Result<Timing> {
        let began = Instant::now();
        let (mut start, is_split) = (None, self.is_split());
        let launched = self.enqueue(device, |stream| {
            // Parts are loaded.
            if !is_split {
                device.load::<K>()?;
            }
            start = Some(stream.queue().record()?);
            Ok(())
        })?;
        let end = launched.as_ref().map(|launched| launched.stream.queue().record());
        let end = end.transpose()?;
        let enqueue = began.elapsed();
        if let (Some(end), Some(launched)) = (&end, launched) {
            end.wait()?;
            launched.tell(device.state())?;
        }
        let timing = Timing::between(began, enqueue, start.as_deref().zip(end.as_deref()))?;
        timing.count(device);
        Ok(timing)
    }
}

impl Timing {
    /// The times of a launch that has ended, `enqueue` after it began, with the moments around the kernel.
    pub(crate) fn between(
        began: Instant,
        enqueue: Duration,
        moments: Option<(&dyn Moment, &dyn Moment)>,
    ) -> Result<Timing> {
        let wall = began.elapsed();
        Ok(Timing {
            wall,
            device: moments.map(|(start, end)| end.since(start)).transpose()?,
            enqueue,
            wait: wall - enqueue,
        })
    }

    pub(crate) fn count(&self, device: &Device) {
        // A number of 64 bits counts nanoseconds for 584 years.
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let counters = device.state().counters();
        counters.timed_launches.add(1);
        counters.timed_wall_ns.add(nanoseconds(self.wall));
        counters.timed_enqueue_ns.add(nanoseconds(self.enqueue));
        counters.timed_wait_ns.add(nanoseconds(self.wait));
        match self.device.map(nanoseconds) {
            Some(time) => {
                counters.timed_device_ns.add(time);
                counters.timed_device_max_ns.raise(time);
            }
            None => counters.timed_without_device.add(1),
        }
    }
}
