//! Streams: in-order queues of work.

use std::any::Any;
use std::fmt;
use std::io::Write;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use crate::backend::{Moment, Queue};
use crate::device::{Device, DeviceState};
use crate::error::Result;
use crate::stats::Counter;
use crate::sync::Mutex;
use crate::trace::span;

/// A stream of a device: work launched on it runs in order, and concurrently with that of other
/// streams.
///
/// Buffers may be used on several streams without explicit synchronization: on a conflict, the
/// later stream waits for the earlier one, on the device.
///
/// Cheap to clone; all clones are the same stream. When the last is dropped, work on the stream
/// continues, and a fault that it reports later is returned by [`Device::synchronize`].
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
/// twice(&mut y).over(1000).on(&second).launch(&device)?; // may run at the same time
/// first.synchronize()?;
/// second.synchronize()?;
/// assert_eq!((x.download()?, y.download()?), (vec![2; 1000], vec![4; 1000]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Stream {
    lease: Arc<Lease>,
}

/// The permanent state of a stream, which its device leases again after the last [`Stream`] of it
/// is dropped.
pub(crate) struct StreamState {
    queue: Box<dyn Queue>,
    priority: u32,
    /// True while a [`Stream`] has it.
    leased: AtomicBool,
    /// The keeper of a stream that another library has made. Such a one is leased to nobody else.
    adopted: Option<Box<dyn Any + Send + Sync>>,
    /// The receiver of what is printed; `None` is standard output, or a printer that is running.
    printer: Mutex<Option<Printer>>,
    delivery: Mutex<()>,
    /// The thread that holds `delivery`. A printer that waits for its own stream finds itself here.
    delivers: Mutex<Option<ThreadId>>,
    /// The number of launches in graphs. The queue counts the others.
    in_graphs: Counter,
    /// The number of launches when the statistics were reset.
    reset_at: AtomicU64,
    /// The streams that it follows, up to work that nobody has waited for yet.
    followed: Mutex<Vec<Reached>>,
    /// How often it was made to wait for other work, or handed out.
    waits: AtomicU64,
    /// Locked while faults go from the queue to the device: whoever waits meanwhile finds them in neither.
    collects: Mutex<()>,
}

type Printer = Box<dyn FnMut(&str) + Send>;

/// The part of a stream's work that a wait has covered. Its faults are told by that wait, and those of later launches by others.
#[derive(Clone, Copy)]
pub(crate) struct Reached {
    pub(crate) stream: &'static StreamState,
    /// The last launch, by the device's clock.
    pub(crate) last: u64,
}

impl Reached {
    /// All of the work.
    pub(crate) fn all(stream: &'static StreamState) -> Reached {
        Reached { stream, last: u64::MAX }
    }

    /// The work that is queued now.
    pub(crate) fn until_now(stream: &'static StreamState, device: &DeviceState) -> Reached {
        let last = device.clock().load(Ordering::Relaxed);
        Reached { stream, last }
    }
}

struct Lease {
    device: &'static DeviceState,
    state: &'static StreamState,
}

impl Stream {
    /// The state belongs to the device, and was leased by [`StreamState::try_lease`] or is one of
    /// the device's own.
    pub(crate) fn of(device: &'static DeviceState, state: &'static StreamState) -> Stream {
        Stream {
            lease: Arc::new(Lease { device, state }),
        }
    }

    /// The states of its device and of itself.
    pub(crate) fn parts(&self) -> (&'static DeviceState, &'static StreamState) {
        (self.lease.device, self.lease.state)
    }

    /// Its device.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// assert_eq!(device.stream()?.device(), device);
    /// # Ok(())
    /// # }
    /// ```
    pub fn device(&self) -> Device {
        Device::of(self.lease.device)
    }

    /// Waits for the work on this stream.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel]
    /// fn check(#[each] x: &u32) {
    ///     assert!(*x < 10, "{x} is too large");
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let stream = device.stream()?;
    /// let x = device.upload(&[1, 20, 3])?;
    /// check(&x).over(3).on(&stream).launch(&device)?;
    /// let error = stream.synchronize().unwrap_err();
    /// assert!(error.to_string().starts_with("assertion failed: 20 is too large"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Fault`](crate::Error::Fault) if a kernel has reported one that nobody was told yet, on
    /// this stream or on one that it has followed. Each call tells one fault. The stream stays usable.
    pub fn synchronize(&self) -> Result<()> {
        let Lease { device, state } = *self.lease;
        let _span = span!("wait", device = device.name());
        state.queue.wait()?;
        device.faults().tell(&state.collect(device)?)?;
        device.take_error()
    }

    /// Passes the output of kernels on this stream to `printer` instead of standard output: at each
    /// wait, everything printed since the last one, in the order of the launches.
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use vyre::prelude::*;
    ///
    /// #[vyre::kernel]
    /// fn report(#[each] x: &f32) {
    ///     if x.is_nan() {
    ///         println!("x[{}] is no number", thread::index());
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (stream, (sender, lines)) = (device.stream()?, mpsc::channel());
    /// stream.print_to(move |text| sender.send(text.to_owned()).unwrap());
    /// let x = device.upload(&[1.0, f32::NAN])?;
    /// report(&x).over(2).on(&stream).launch(&device)?;
    /// stream.synchronize()?;
    /// assert_eq!(lines.recv().unwrap(), "x[1] is no number\n");
    /// # Ok(())
    /// # }
    /// ```
    pub fn print_to(&self, printer: impl FnMut(&str) + Send + 'static) {
        self.lease.state.printer.lock().replace(Box::new(printer));
    }

    /// Its priority, from 0 to [`Device::max_stream_priority`].
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// assert_eq!(device.stream()?.priority(), 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn priority(&self) -> u32 {
        self.lease.state.priority
    }

    pub(crate) fn state(&self) -> &'static StreamState {
        self.lease.state
    }
}

impl StreamState {
    /// A leased stream.
    pub(crate) fn new(queue: Box<dyn Queue>, priority: u32) -> StreamState {
        StreamState {
            queue,
            priority,
            leased: AtomicBool::new(true),
            adopted: None,
            printer: Mutex::new(None),
            delivery: Mutex::new(()),
            delivers: Mutex::new(None),
            in_graphs: Counter::default(),
            reset_at: AtomicU64::new(0),
            followed: Mutex::new(Vec::new()),
            waits: AtomicU64::new(0),
            collects: Mutex::new(()),
        }
    }

    /// A stream that another library has made, and what keeps it.
    pub(crate) fn adopted(queue: Box<dyn Queue>, keeper: Box<dyn Any + Send + Sync>) -> StreamState {
        StreamState {
            adopted: Some(keeper),
            ..StreamState::new(queue, 0)
        }
    }

    /// The keeper of a stream that another library has made.
    pub(crate) fn keeper(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.adopted.as_deref()
    }

    /// Makes later work on this stream wait for all current work on another one. A wait for this stream then tells the faults
    /// of that work, too.
    pub(crate) fn follow(&self, other: &'static StreamState, device: &DeviceState) -> Result<()> {
        self.follow_apart(other)?;
        self.note_followed(other, device);
        Ok(())
    }

    /// The same without the faults: for work that needs no results of the other one.
    pub(crate) fn follow_apart(&self, other: &StreamState) -> Result<()> {
        self.note_wait();
        self.queue.follow(other.queue())
    }

    /// Notes that something is queued which is no launch, and may take long.
    pub(crate) fn note_wait(&self) {
        self.waits.fetch_add(1, Ordering::Relaxed);
    }

    /// A number that changes with each launch and wait that is queued; `None` for a stream that another library has made.
    pub(crate) fn work(&self) -> Option<u64> {
        let is_own = self.adopted.is_none();
        is_own.then(|| self.all_launches() + self.waits.load(Ordering::Relaxed))
    }

    /// Makes later work on this stream wait for a moment of another one, as [`follow`](StreamState::follow) does.
    pub(crate) fn follow_moment(
        &self,
        other: &'static StreamState,
        moment: &dyn Moment,
        device: &DeviceState,
    ) -> Result<()> {
        self.follow_moment_apart(moment)?;
        if !ptr::eq(self, other) {
            self.note_followed(other, device);
        }
        Ok(())
    }

    /// The same without the faults: for work that needs no results of the other one.
    pub(crate) fn follow_moment_apart(&self, moment: &dyn Moment) -> Result<()> {
        self.note_wait();
        self.queue.follow_moment(moment)
    }

    fn note_followed(&self, other: &'static StreamState, device: &DeviceState) {
        let mut followed = self.followed.lock();
        let reached = Reached::until_now(other, device);
        match followed.iter_mut().find(|known| ptr::eq(known.stream, other)) {
            Some(known) => *known = reached,
            None => followed.push(reached),
        }
    }

    /// The end of a wait: hands out what kernels have printed, and collects the faults that they have
    /// reported, also on the streams that this one has followed. Returns these streams.
    pub(crate) fn collect(&'static self, device: &DeviceState) -> Result<Vec<Reached>> {
        self.deliver()?;
        let mut streams = vec![Reached::all(self)];
        let mut next = 0;
        while let Some(&Reached { stream, last }) = streams.get(next) {
            stream.collect_own(device)?;
            for other in stream.followed.lock().iter() {
                let last = other.last.min(last);
                let is_known = |known: &Reached| ptr::eq(known.stream, other.stream) && known.last >= last;
                if !streams.iter().any(is_known) {
                    streams.push(Reached { last, ..*other });
                }
            }
            next += 1;
        }
        self.followed.lock().clear();
        Ok(streams)
    }

    /// Moves the faults of this stream's launches to the device.
    pub(crate) fn collect_own(&'static self, device: &DeviceState) -> Result<()> {
        let _collects = self.collects.lock();
        let mut faulted = Vec::new();
        let taken = self.queue.take_faults(&mut faulted);
        device.counters().faults.add(faulted.len() as u64);
        device.faults().add(self, faulted);
        taken
    }

    /// Hands out what kernels have printed.
    fn deliver(&self) -> Result<()> {
        let current = thread::current().id();
        if *self.delivers.lock() == Some(current) {
            // A printer waits for its own stream. What is printed meanwhile comes after it.
            return Ok(());
        }
        // Locked from here on, so that a concurrent wait neither returns before the output is
        // delivered nor delivers later text first.
        let _delivery = self.delivery.lock();
        let _delivers = Delivers::begin(&self.delivers, current);
        self.deliver_all()
    }

    fn deliver_all(&self) -> Result<()> {
        loop {
            let mut text = String::new();
            let taken = self.queue.take_printed(&mut text);
            if text.is_empty() {
                return taken;
            }
            let printer = self.printer.lock().take();
            match printer {
                Some(mut printer) => {
                    printer(&text);
                    // Unless it has set another one.
                    self.printer.lock().get_or_insert(printer);
                }
                // A closed standard output is no fault of the kernel.
                None => drop(std::io::stdout().write_all(text.as_bytes())),
            }
            taken?;
        }
    }

    pub(crate) fn priority(&self) -> u32 {
        self.priority
    }

    /// The number of launches since the statistics were reset. Each stream counts its own, so that threads do not contend
    /// for one counter.
    pub(crate) fn launches(&self) -> u64 {
        self.all_launches()
            .saturating_sub(self.reset_at.load(Ordering::Relaxed))
    }

    fn all_launches(&self) -> u64 {
        self.queue.launched() + self.in_graphs.get()
    }

    pub(crate) fn reset_launches(&self) {
        self.reset_at.store(self.all_launches(), Ordering::Relaxed);
    }

    /// Counts the launches of a graph.
    pub(crate) fn launched_in_graph(&self, launches: u64) {
        self.in_graphs.add(launches);
    }

    #[inline]
    pub(crate) fn queue(&self) -> &dyn Queue {
        &*self.queue
    }

    /// Leases the stream if it is free and nothing of its last use is pending.
    pub(crate) fn try_lease(&self, device: &DeviceState) -> bool {
        if self.adopted.is_some() || self.leased.swap(true, Ordering::Acquire) {
            return false;
        }
        let idle = self.queue.is_idle() && !device.faults().has_untold(self);
        match idle {
            // Faults of other streams are told to those who used this one before, or by the device.
            true => self.followed.lock().clear(),
            false => self.leased.store(false, Ordering::Release),
        }
        idle
    }
}

/// The mark of a thread that delivers, also if the printer panics.
struct Delivers<'a>(&'a Mutex<Option<ThreadId>>);

impl<'a> Delivers<'a> {
    fn begin(mark: &'a Mutex<Option<ThreadId>>, thread: ThreadId) -> Self {
        *mark.lock() = Some(thread);
        Delivers(mark)
    }
}

impl Drop for Delivers<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // One that another library has made may have several leases.
        if !self.device.keeps(self.state) && self.state.keeper().is_none() {
            *self.state.printer.lock() = None;
            self.state.leased.store(false, Ordering::Release);
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream {:p} of {}", self.lease.state, self.lease.device.name())
    }
}
