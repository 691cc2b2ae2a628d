//! Sequences: work that is recorded once and run many times.
//!
//! - `step` is what a recording consists of; `launch` records launches, `over_device` those whose extent is there, and
//!   `counted` reads of as many elements as a counter says.
//! - `holdings` are the allocations that a recording keeps.
//! - `graph` hands it to the device as a whole.
//! - `run` runs it: `play` queues the steps on a stream, and `readback` is what comes back.
//!
//! **Borrows.** A step borrows its buffers while it is recorded, so the arguments of one step are never the same memory
//! in a conflicting way. Steps run one after the other, so two steps may use the same buffer in any way. After that the
//! recording holds the allocations themselves: a buffer that is dropped leaves its memory to the recording.
//!
//! **Runs.** A run is ordered after earlier work on its memory, and later work after it, as for a launch that uses
//! all of it. It does not borrow what it writes. Whoever has borrowed a buffer sees the values from before the run or from
//! after it, for device memory is read by queued work alone; the gates of the allocations, which are taken while a run
//! is queued, keep other threads from queueing conflicting work in between (and, on the CPU, from running it).

mod counted;
pub(crate) mod graph;
mod holdings;
pub(crate) mod launch;
#[cfg(feature = "programs")]
mod over_device;
mod play;
pub(crate) mod readback;
mod run;
pub(crate) mod step;

use std::fmt;
use std::mem;
use std::ops::RangeBounds;
use std::sync::atomic::{AtomicU64, Ordering};

use self::holdings::Holdings;
use self::launch::{LaunchNode, Recordable};
use self::play::Log;
use self::readback::{Layout, Place, Readback};
use self::step::{Range, Step};
use crate::device::Device;
use crate::device::staging::Staging;
use crate::device::stream::Stream;
use crate::error::{Error, Result};
use crate::memory::allocation::Allocation;
use crate::memory::element::{bytes_of, bytes_of_all};
use crate::memory::transfer::same_length;
use crate::memory::view::RawView;
use crate::{DeviceBuffer, Element, View, ViewMut};

/// Launches and copies that are recorded once, without running, and then run in order, as often as one likes, with one
/// wait for all of them.
///
/// Each step borrows its buffers only while it is recorded. The sequence keeps their memory, so a buffer may be
/// dropped. A run writes to that memory whoever borrows the buffers then; it comes after all work on them that was queued
/// before, and before all that is queued later, on any stream.
///
/// ```
/// # use vyre::prelude::*;
/// use vyre::Sequence;
///
/// /// One step of a diffusion.
/// #[vyre::kernel]
/// fn diffuse(from: &[f32], #[each] to: &mut f32) {
///     let i = thread::index();
///     let left = from[if i == 0 { 0 } else { i - 1 }];
///     let right = from[if i + 1 == from.len() { i } else { i + 1 }];
///     *to = 0.5 * from[i] + 0.25 * (left + right);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (mut x, mut y) = (device.zeros(64)?, device.zeros(64)?);
/// let mut start = [0.0; 64];
/// start[0] = 64.0;
///
/// let mut steps = Sequence::new(&device);
/// steps.write(&mut x, &start)?;
/// steps.repeat(5000, |body| {
///     body.launch(diffuse(&x, &mut y).over(64))?;
///     body.launch(diffuse(&y, &mut x).over(64))
/// })?;
/// let last = steps.read(&x, 63..)?; // a place in what comes back
///
/// let values = steps.run()?;
/// assert!((values.get(&last).unwrap()[0] - 1.0).abs() < 0.02);
/// # Ok(())
/// # }
/// ```
///
/// The memory that a step writes is none that it uses otherwise:
///
/// ```compile_fail
/// # fn main() -> vyre::Result<()> {
/// let device = vyre::Device::best()?;
/// let mut x = device.zeros::<u32>(4)?;
/// let mut steps = vyre::Sequence::new(&device);
/// steps.copy(&mut x, &x)?; // `x` is borrowed twice
/// # Ok(())
/// # }
/// ```
pub struct Sequence {
    stream: Stream,
    steps: Vec<Step>,
    holdings: Holdings,
    /// The launches that were recorded until now.
    launches: usize,
    /// Host memory with the sources of writes.
    chunks: Vec<Staging>,
    /// The chunk after those, which the next run makes.
    source: Vec<u8>,
    layout: Layout,
    log: Log,
}

/// Sources begin at multiples of this.
const ALIGNMENT: usize = 64;

impl Sequence {
    /// A sequence without steps, on the device's default stream.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(3)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.fill(&mut x, 5)?;
    /// assert_eq!(x.download()?, [0, 0, 0]); // nothing has run
    /// steps.run()?;
    /// assert_eq!(x.download()?, [5, 5, 5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(device: &Device) -> Sequence {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Sequence {
            stream: device.default_stream(),
            steps: Vec::new(),
            holdings: Holdings::default(),
            launches: 0,
            chunks: Vec::new(),
            source: Vec::new(),
            layout: Layout::new(LAST.fetch_add(1, Ordering::Relaxed) + 1),
            log: Log::default(),
        }
    }

    /// Runs on another stream of the device.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(3)?;
    /// let mut steps = Sequence::new(&device).on(&device.stream()?)?;
    /// steps.fill(&mut x, 5)?;
    /// steps.run()?;
    /// assert_eq!(x.download()?, [5, 5, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongDevice`] for a stream of another device.
    pub fn on(self, stream: &Stream) -> Result<Sequence> {
        self.check("the stream", &stream.device())?;
        Ok(Sequence {
            stream: stream.clone(),
            ..self
        })
    }

    /// The device.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// assert_eq!(vyre::Sequence::new(&device).device(), device);
    /// # Ok(())
    /// # }
    /// ```
    pub fn device(&self) -> Device {
        self.stream.device()
    }

    /// Records a launch, or a call of a pipeline. Its lengths and limits are checked, and its kernel is loaded, now;
    /// constants set by the host have the values of the time of a run. An empty domain
    /// records nothing.
    ///
    /// All slices that the kernel of a pipeline's call writes must be resident. Bytes for the others are copied to the
    /// device now.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3])?;
    /// let mut steps = Sequence::new(&device);
    /// steps.launch(twice(&mut x).over(3))?;
    /// steps.launch(twice(&mut x).over(3))?;
    /// steps.run()?;
    /// assert_eq!(x.download()?, [4, 8, 12]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Launch::launch`](crate::Launch::launch), but for faults, and [`Error::StreamInSequence`]. Nothing is
    /// recorded then.
    pub fn launch(&mut self, launch: impl Recordable) -> Result<()> {
        launch.record(self)
    }

    /// As [`launch`](Sequence::launch), and returns the node by which the arguments are
    /// [exchanged](crate::Graph::set) in a graph of the sequence.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # #[vyre::kernel]
    /// # fn set(#[each] x: &mut u32, value: u32) {
    /// #     *x = value;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros(3)?;
    /// let mut steps = Sequence::new(&device);
    /// let node = steps.node(set(&mut x, 1).over(3))?;
    /// let mut graph = steps.into_graph()?;
    /// graph.set(&node, set(&mut x, 2).over(3))?;
    /// graph.run()?;
    /// assert_eq!(x.download()?, [2, 2, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`launch`](Sequence::launch).
    pub fn node(&mut self, launch: impl Recordable) -> Result<LaunchNode> {
        let before = self.launches;
        launch.record(self)?;
        Ok(LaunchNode {
            sequence: self.layout.sequence(),
            number: (self.launches != before).then_some(self.launches),
        })
    }

    /// Records a copy from the host. The elements are taken now; each run writes the same ones. Consecutive writes are
    /// queued together, and none is waited for.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (mut x, mut y) = (device.zeros::<u32>(3)?, device.zeros::<f32>(2)?);
    /// let mut steps = Sequence::new(&device);
    /// steps.write(&mut x, &[1, 2, 3])?;
    /// steps.write(y.slice_mut(1..)?, &[0.5])?;
    /// steps.run()?;
    /// assert_eq!((x.download()?, y.download()?), (vec![1, 2, 3], vec![0.0, 0.5]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::WrongDevice`], or [`Error::OutOfMemory`] of the host. Nothing is recorded
    /// then.
    pub fn write<'v, T: Element>(&mut self, target: impl Into<ViewMut<'v, T>>, source: &[T]) -> Result<()> {
        let target = target.into();
        same_length(("the source", source.len()), ("the buffer", target.len()))?;
        self.check_view("the buffer", target.raw())?;
        let bytes = size_of_val(source);
        let offset = self.source.len().next_multiple_of(ALIGNMENT);
        let more = offset - self.source.len() + bytes;
        self.source.try_reserve(more).map_err(|_| Error::out_of_memory(bytes))?;
        if let Some(to) = self.range::<T>(target.raw(), true) {
            self.source.resize(offset, 0);
            self.source.extend_from_slice(&bytes_of_all(source));
            let chunk = self.chunks.len();
            self.steps.push(Step::Write { to, chunk, offset });
        }
        Ok(())
    }

    /// Records that every element is overwritten with a value.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3])?;
    /// let mut steps = Sequence::new(&device);
    /// steps.fill(x.slice_mut(1..)?, 9)?;
    /// steps.run()?;
    /// assert_eq!(x.download()?, [1, 9, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongDevice`]. Nothing is recorded then.
    pub fn fill<'v, T: Element>(&mut self, target: impl Into<ViewMut<'v, T>>, value: T) -> Result<()> {
        let target = target.into();
        self.check_view("the buffer", target.raw())?;
        if let Some(to) = self.range::<T>(target.raw(), true) {
            let pattern = bytes_of(&value).as_ref().into();
            self.steps.push(Step::Fill { to, pattern });
        }
        Ok(())
    }

    /// Records a copy from one buffer to another of the same length, or between parts of them.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (mut x, mut y) = (device.upload(&[1, 2, 3])?, device.zeros(3)?);
    /// let mut steps = Sequence::new(&device);
    /// steps.copy(&mut y, &x)?;
    /// steps.fill(&mut x, 0)?;
    /// steps.run()?;
    /// assert_eq!((x.download()?, y.download()?), (vec![0, 0, 0], vec![1, 2, 3]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::WrongDevice`]. Nothing is recorded then.
    pub fn copy<'t, 's, T: Element>(
        &mut self,
        target: impl Into<ViewMut<'t, T>>,
        source: impl Into<View<'s, T>>,
    ) -> Result<()> {
        let (target, source) = (target.into(), source.into());
        same_length(("the source", source.len()), ("the buffer", target.len()))?;
        self.check_view("the buffer", target.raw())?;
        self.check_view("the source", source.raw())?;
        let from = self.range::<T>(source.raw(), false);
        let to = self.range::<T>(target.raw(), true);
        if let Some((to, from)) = to.zip(from) {
            self.steps.push(Step::Copy { to, from });
        }
        Ok(())
    }

    /// Records a copy of a range of elements to the host, and returns its place in the [`Readback`] of a run. In a loop
    /// the last turn counts.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3])?;
    /// let mut steps = Sequence::new(&device);
    /// let before = steps.read(&x, ..2)?;
    /// steps.fill(&mut x, 0)?;
    /// let after = steps.read(&x, ..2)?;
    /// let values = steps.run()?;
    /// assert_eq!(values.get(&before), Some(&[1, 2][..]));
    /// assert_eq!(values.get(&after), Some(&[0, 0][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`], [`Error::WrongDevice`]. Nothing is recorded then.
    pub fn read<'v, T: Element>(
        &mut self,
        source: impl Into<View<'v, T>>,
        range: impl RangeBounds<usize>,
    ) -> Result<Place<T>> {
        let source = source.into();
        let part = source.slice(range)?;
        self.check_view("the buffer", part.raw())?;
        let (number, place) = self.layout.place(part.len());
        if let Some(from) = self.range::<T>(part.raw(), false) {
            self.steps.push(Step::Read { from, place: number });
        }
        Ok(place)
    }

    /// Records steps that run a number of times, one turn after the other. A launch that faults ends the turns as soon as
    /// the host sees it.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3])?;
    /// let mut steps = Sequence::new(&device);
    /// steps.repeat(10, |body| body.launch(twice(&mut x).over(3)))?;
    /// steps.run()?;
    /// assert_eq!(x.download()?, [1024, 2048, 3072]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of the closure. No step of the loop is recorded then.
    ///
    /// # Panics
    /// If the closure exchanges the sequence that it is given for another one.
    pub fn repeat(&mut self, turns: usize, body: impl FnOnce(&mut Sequence) -> Result<()>) -> Result<()> {
        let body = self.body(body)?;
        // Else the turns would take time.
        if !body.is_empty() {
            self.steps.push(Step::Repeat { turns, body });
        }
        Ok(())
    }

    /// Records steps that run until they change nothing more, at most `limit` times. The closure is given a flag, one
    /// element that is zero when a turn begins: a kernel sets it to something else if it has changed anything, and then
    /// there is another turn. Returns the place of the number of turns that have changed something; it is `limit` if
    /// there may be more to do.
    ///
    /// The host looks at the flag after each turn, so a turn should have enough work to make up for a wait. In a
    /// [graph](Sequence::into_graph) the device looks, where the driver supports CUDA 12.4.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// use vyre::Sequence;
    ///
    /// /// Takes over the smaller label of the left neighbour.
    /// #[vyre::kernel]
    /// fn spread(labels: &[AtomicU32], changed: &[AtomicU32]) {
    ///     let i = thread::index();
    ///     if i > 0 && i < labels.len() {
    ///         let left = labels[i - 1].load(Ordering::Relaxed);
    ///         if labels[i].fetch_min(left, Ordering::Relaxed) > left {
    ///             changed[0].store(1, Ordering::Relaxed);
    ///         }
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut labels = device.upload(&(0..100).collect::<Vec<u32>>())?;
    /// let mut steps = Sequence::new(&device);
    /// let turns = steps.fixpoint(1000, |body, changed| {
    ///     body.launch(spread(&mut labels, changed).over(100))
    /// })?;
    /// let values = steps.run()?;
    /// assert!(values.get(&turns).unwrap()[0] < 100);
    /// assert_eq!(labels.download()?, [0; 100]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of the closure, and [`Error::OutOfMemory`]. No step of the loop is recorded then.
    ///
    /// # Panics
    /// As [`repeat`](Sequence::repeat).
    pub fn fixpoint(
        &mut self,
        limit: u32,
        body: impl FnOnce(&mut Sequence, &mut DeviceBuffer<u32>) -> Result<()>,
    ) -> Result<Place<u32>> {
        let mut changed = self.device().zeros::<u32>(1)?;
        // Before the closure, which may exchange the buffer.
        let flag = self.range::<u32>(changed.as_view().raw(), true);
        let body = self.body(|sequence| body(sequence, &mut changed))?;
        let (place, turns) = self.layout.place(1);
        if let Some(flag) = flag {
            self.steps.push(Step::Fixpoint {
                flag,
                limit,
                body,
                place,
            });
        }
        Ok(turns)
    }

    /// Records the steps of a closure, or none of them after an error.
    #[doc(hidden)]
    pub fn together(&mut self, record: impl FnOnce(&mut Sequence) -> Result<()>) -> Result<()> {
        let body = self.body(record)?;
        self.steps.extend(body);
        Ok(())
    }

    /// True if it runs on this stream.
    #[doc(hidden)]
    pub fn is_on(&self, stream: &Stream) -> bool {
        std::ptr::eq(stream.state(), self.stream.state())
    }

    /// The steps that a closure records.
    fn body(&mut self, record: impl FnOnce(&mut Sequence) -> Result<()>) -> Result<Vec<Step>> {
        let number = self.layout.sequence();
        let before = mem::take(&mut self.steps);
        let recorded = record(self);
        assert!(
            self.layout.sequence() == number,
            "the body of a loop has exchanged the sequence that it was given"
        );
        let body = mem::replace(&mut self.steps, before);
        recorded.map(|()| body)
    }

    /// Refuses a part of another device.
    fn check(&self, what: &'static str, belongs: &Device) -> Result<()> {
        let device = self.device();
        match *belongs == device {
            true => Ok(()),
            false => Err(Error::wrong_device("the sequence", what, belongs, &device)),
        }
    }

    /// Refuses a view of another device, and one of memory that the sequence cannot keep.
    fn check_view(&self, what: &'static str, view: &RawView<'_>) -> Result<()> {
        let device = view.allocation.device();
        self.check(what, &device)?;
        check_kept(view.allocation)
    }

    /// Holds the memory of a view; `None` if it is empty.
    fn range<T>(&mut self, view: &RawView<'_>, writes: bool) -> Option<Range> {
        // Within an allocation, so there is no overflow.
        let bytes = view.length as usize * size_of::<T>();
        (bytes != 0).then(|| {
            self.holdings.hold(view.allocation, writes);
            Range {
                allocation: view.allocation.hold(),
                address: view.address,
                bytes,
            }
        })
    }
}

/// Refuses memory that is lent: a sequence would use it when the loan is over.
fn check_kept(allocation: &Allocation) -> Result<()> {
    match allocation.is_lent() {
        false => Ok(()),
        true => Err(Error::unsupported(
            "memory that is lent, in sequences: give it away by `DeviceBuffer::from_foreign`",
            &allocation.device(),
        )),
    }
}

impl fmt::Debug for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sequence of {} steps on {}", self.steps.len(), self.device())
    }
}

const _: () = {
    const fn sent<T: Send>() {}
    sent::<Sequence>();
    sent::<Readback>();
};
