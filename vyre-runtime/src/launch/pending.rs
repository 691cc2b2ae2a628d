//! Work that is queued, and whose results come later.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crate::backend::Moment;
use crate::device::DeviceState;
use crate::device::wakes::{WakerCell, Watched};
use crate::error::Result;
use crate::sync::Mutex;

/// The results of work that was started and not waited for, from [`Sequence::start`](crate::Sequence::start) or
/// `Call::start` of a pipeline.
///
/// [`wait`](Pending::wait) blocks; `.await` does not, and works on any executor: the first poll of work that is not done
/// starts a thread of the device, which wakes the task. While anybody waits, that thread asks the driver: without a pause
/// for the first 20 ms, which takes a core as [`wait`](Pending::wait) does, and then less and less often, so that work of a
/// second wakes its task at most 2 ms late. It sleeps while nobody waits. On the CPU work is done when it is started.
///
/// Dropping it does not cancel the work. Memory that the work uses is kept until it is over, and a fault is told by the
/// next wait for the stream.
///
/// ```
/// # use vyre::prelude::*;
/// use vyre::{Pending, Readback, Sequence};
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut x = device.zeros::<u32>(1000)?;
/// let mut steps = Sequence::new(&device);
/// steps.fill(&mut x, 7)?;
/// let first = steps.read(&x, ..1)?;
///
/// let pending: Pending<Readback> = steps.start()?;
/// // .. other work of the host ..
/// let values = pending.wait()?; // in an async function, `pending.await?`
/// assert_eq!(values.get(&first), Some(&[7][..]));
/// # Ok(())
/// # }
/// ```
#[must_use = "its results are lost, and faults are told by the next wait for the stream"]
pub struct Pending<T> {
    end: End,
    /// The time at which waits end.
    deadline: Option<Instant>,
    /// `None` once the results were taken.
    landing: Option<Box<dyn Landing<T>>>,
}

/// The end of work that is queued.
pub(crate) struct End {
    device: &'static DeviceState,
    moment: Arc<dyn Moment>,
    /// From the first watch on.
    waker: Option<WakerCell>,
}

/// Takes in the results of work that is over.
pub(crate) trait Landing<T>: Send {
    fn land(&mut self, results: &mut T) -> Result<()>;

    /// The time at which waits end.
    fn deadline(&self) -> Option<Instant> {
        None
    }

    /// Ends the wait for work that is not over at that time: the error of that.
    fn leave(&mut self) -> Result<()> {
        Ok(())
    }
}

impl<T> Pending<T> {
    pub(crate) fn new(
        device: &'static DeviceState,
        end: Arc<dyn Moment>,
        landing: impl Landing<T> + 'static,
    ) -> Pending<T> {
        Pending {
            end: End::new(device, end),
            deadline: landing.deadline(),
            landing: Some(Box::new(landing)),
        }
    }

    /// True once the work is over, so that a wait does not block. Does not wait.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// # use vyre::Sequence;
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(1000)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.fill(&mut x, 7)?;
    /// let pending = steps.start()?;
    /// while !pending.is_ready()? {
    ///     std::thread::yield_now(); // time for other work
    /// }
    /// pending.wait()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn is_ready(&self) -> Result<bool> {
        self.end.moment.is_over()
    }

    /// Waits for the work, and returns its results.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// # use vyre::Sequence;
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(1000)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.fill(&mut x, 7)?;
    /// let last = steps.read(&x, 999..)?;
    /// assert_eq!(steps.start()?.wait()?.get(&last), Some(&[7][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of running it, such as its fault; [`Error::Timeout`](crate::Error::Timeout) of a call whose
    /// time, by `Config::timeout`, is over before the work is.
    pub fn wait(self) -> Result<T>
    where
        T: Default,
    {
        let mut results = T::default();
        self.wait_into(&mut results)?;
        Ok(results)
    }

    /// As [`wait`](Pending::wait), into results whose memory is used again.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// # use vyre::{Readback, Sequence};
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(1000)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.fill(&mut x, 7)?;
    /// let last = steps.read(&x, 999..)?;
    /// let mut values = Readback::new();
    /// for _ in 0..3 {
    ///     steps.start()?.wait_into(&mut values)?;
    ///     assert_eq!(values.get(&last), Some(&[7][..]));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`wait`](Pending::wait).
    pub fn wait_into(mut self, results: &mut T) -> Result<()> {
        match self.deadline {
            Some(deadline) if !self.end.wait_until(deadline)? => self.leave(),
            Some(_) => self.land(results),
            None => {
                self.end.moment.wait()?;
                self.land(results)
            }
        }
    }

    /// Waits for at most a time, and tells whether the work is over.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// # use std::time::Duration;
    /// # use vyre::Sequence;
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(1000)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.fill(&mut x, 7)?;
    /// let mut pending = steps.start()?;
    /// if pending.wait_for(Duration::from_secs(10))? {
    ///     pending.wait()?; // does not block
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn wait_for(&mut self, limit: Duration) -> Result<bool> {
        match Instant::now().checked_add(limit) {
            Some(deadline) => self.end.wait_until(deadline),
            None => self.end.moment.wait().map(|()| true),
        }
    }

    fn land(&mut self, results: &mut T) -> Result<()> {
        self.take_landing().land(results)
    }

    fn leave(&mut self) -> Result<()> {
        self.take_landing().leave()
    }

    fn take_landing(&mut self) -> Box<dyn Landing<T>> {
        self.landing.take().expect("a future that is done is not polled again")
    }
}

impl End {
    pub(crate) fn new(device: &'static DeviceState, moment: Arc<dyn Moment>) -> End {
        End {
            device,
            moment,
            waker: None,
        }
    }

    /// Waits until a time at most, and tells whether it was reached.
    pub(crate) fn wait_until(&mut self, deadline: Instant) -> Result<bool> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            if self.moment.is_over()? {
                return Ok(true);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            self.watch(&waker, None);
            if !self.moment.is_over()? {
                thread::park_timeout(left);
            }
        }
    }

    /// Has the waker woken when it is reached, or at this time.
    fn watch(&mut self, waker: &Waker, deadline: Option<Instant>) {
        // Wakers are cloned and dropped without the lock, for they may be anybody's code.
        let waker = waker.clone();
        if let Some(cell) = &self.waker {
            let mut known = cell.lock();
            if known.is_some() {
                // Not woken yet.
                let last = known.replace(waker);
                drop(known);
                drop(last);
                return;
            }
        }
        let cell: WakerCell = Arc::new(Mutex::new(Some(waker)));
        self.waker = Some(Arc::clone(&cell));
        let watched = Watched {
            moment: Arc::clone(&self.moment),
            deadline,
            waker: cell,
        };
        self.device.watch(watched);
    }
}

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Panics if it is polled after it was ready.
impl<T: Default> Future for Pending<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let this = &mut *self;
        let mut results = T::default();
        let is_late = |deadline: Instant| deadline <= Instant::now();
        let landed = match this.end.moment.is_over() {
            Ok(false) if this.deadline.is_some_and(is_late) => this.leave(),
            Ok(false) => {
                // If it is over since the look, the thread that watches sees it.
                this.end.watch(context.waker(), this.deadline);
                return Poll::Pending;
            }
            Ok(true) => this.land(&mut results),
            Err(error) => Err(error),
        };
        Poll::Ready(landed.map(|()| results))
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Pending<{}> on {}",
            std::any::type_name::<T>(),
            self.end.device.name()
        )
    }
}

const _: () = {
    const fn sent<T: Send>() {}
    sent::<Pending<crate::Event>>();
};
