//! Events: points in the work of a stream.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::stream::{Stream, StreamState};
use super::{Device, DeviceState};
use crate::backend::Moment;
use crate::error::{Error, Result};

/// A point in the work of a stream, made by [`Stream::record`]: it is reached when all work that was on the stream
/// then is done.
///
/// Cheap to clone. Dropping one changes nothing for the streams that wait for it.
///
/// ```
/// # fn main() -> vyre::Result<()> {
/// let device = vyre::Device::best()?;
/// let (first, second) = (device.stream()?, device.stream()?);
/// let start = first.record()?;
/// // .. launches on `first` ..
/// let end = first.record()?;
/// second.wait(&end)?;
/// // Launches on `second` from here on run after those on `first`.
/// println!("{:?}", end.since(&start)?);
/// assert!(end.is_done()?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Event {
    device: &'static DeviceState,
    stream: &'static StreamState,
    moment: Arc<dyn Moment>,
}

impl Event {
    /// Its device.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// assert_eq!(device.stream()?.record()?.device(), device);
    /// # Ok(())
    /// # }
    /// ```
    pub fn device(&self) -> Device {
        Device::of(self.device)
    }

    /// Waits until it is reached. Tells no fault and prints nothing: the next wait for the stream does.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let stream = device.stream()?;
    /// let mut x = device.upload(&[1; 1000])?;
    /// twice(&mut x).over(1000).on(&stream).launch(&device)?;
    /// let done = stream.record()?;
    /// done.wait()?; // the host goes on when the kernel is done
    /// assert!(done.is_done()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn wait(&self) -> Result<()> {
        self.moment.wait()
    }

    /// True once it is reached. Does not wait.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let stream = device.stream()?;
    /// let mut x = device.upload(&[1; 1000])?;
    /// twice(&mut x).over(1000).on(&stream).launch(&device)?;
    /// let done = stream.record()?;
    /// let mut turns = 0;
    /// while !done.is_done()? {
    ///     turns += 1; // time for other work
    /// }
    /// println!("{turns} turns");
    /// assert_eq!(x.download()?, [2; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn is_done(&self) -> Result<bool> {
        self.moment.is_over()
    }

    /// The time from an earlier event of the device to this one, as the device measures it: on a GPU with a
    /// resolution of about half a microsecond. Zero if that one is the later. Waits for both.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let stream = device.stream()?;
    /// let mut x = device.upload(&[1; 1000])?;
    /// let start = stream.record()?;
    /// for _ in 0..10 {
    ///     twice(&mut x).over(1000).on(&stream).launch(&device)?;
    /// }
    /// let end = stream.record()?;
    /// println!("{:?} for a launch", end.since(&start)? / 10);
    /// assert_eq!(start.since(&end)?, std::time::Duration::ZERO);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongDevice`], or an error of the driver.
    pub fn since(&self, earlier: &Event) -> Result<Duration> {
        self.check(earlier.device)?;
        self.moment.since(&*earlier.moment)
    }

    /// Makes later work of a stream wait for the event, without its faults.
    pub(crate) fn order(&self, stream: &Stream) -> Result<()> {
        self.check(stream.device().state())?;
        stream.state().follow_moment_apart(&*self.moment)
    }

    /// Refuses the event on another device.
    fn check(&self, device: &'static DeviceState) -> Result<()> {
        let (belongs, wanted) = (self.device(), Device::of(device));
        match belongs == wanted {
            true => Ok(()),
            false => Err(Error::wrong_device("the call", "the event", &belongs, &wanted)),
        }
    }
}

/// As [`Stream::record`], for an event of which nobody asks the time.
pub(crate) fn marked(stream: &Stream) -> Result<Event> {
    Ok(Event {
        device: stream.device().state(),
        stream: stream.state(),
        moment: stream.state().queue().mark()?.into(),
    })
}

impl Stream {
    /// An event after the work that is on the stream now.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let stream = device.stream()?;
    /// let mut x = device.upload(&[1; 1000])?;
    /// twice(&mut x).over(1000).on(&stream).launch(&device)?;
    /// let done = stream.record()?;
    /// done.wait()?;
    /// assert_eq!(x.download()?, [2; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn record(&self) -> Result<Event> {
        Ok(Event {
            device: self.device().state(),
            stream: self.state(),
            moment: self.state().queue().record()?.into(),
        })
    }

    /// Makes later work on this stream wait for an event, on the device. Work that shares a buffer is in order
    /// without it. A wait for this stream then tells the faults of what is queued on the event's stream now, too.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (first, second) = (device.stream()?, device.stream()?);
    /// let (mut x, mut y) = (device.upload(&[1; 1000])?, device.upload(&[2; 1000])?);
    /// twice(&mut x).over(1000).on(&first).launch(&device)?;
    /// second.wait(&first.record()?)?;
    /// twice(&mut y).over(1000).on(&second).launch(&device)?; // begins when the first launch is done
    /// second.synchronize()?;
    /// assert_eq!(y.download()?, [4; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongDevice`], or an error of the driver.
    pub fn wait(&self, event: &Event) -> Result<()> {
        event.check(self.device().state())?;
        self.state().follow_moment(event.stream, &*event.moment, event.device)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event of {}", self.device.name())
    }
}
