//! Graphs: sequences that a device starts as a whole.
//!
//! - `order` finds which steps come after which, and `plan` divides them into parts.
//! - `device` hands the parts to the device, and `play` launches them.
//!
//! A graph keeps its sequence: it is what a device without graphs runs, and of what the parts are made anew after an
//! exchange of arguments that changes the order.

mod device;
mod order;
mod plan;
mod play;

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::time::Instant;

use self::device::{Host, OnDevice};
use self::play::Launched;
use super::launch::Recordable;
use super::play::{Player, Queued, Target};
use super::readback::Readback;
use super::step::{Node, Step};
use super::{LaunchNode, Sequence};
use crate::backend::Moment;
use crate::device::Device;
use crate::device::staging::Staging;
use crate::device::stream::Stream;
use crate::error::{Error, Result};
use crate::launch::timing::Timing;

/// A sequence that was handed to the device as a whole, on a GPU as a CUDA graph: a launch of it is one call of the driver,
/// and the device starts each step without waiting for the host.
///
/// The steps are nodes, and those that use the same memory run in the order of the sequence if one of them writes it. Steps
/// that do not meet may run at the same time. On the CPU the steps run in order.
///
/// ```
/// # use vyre::prelude::*;
/// use vyre::{Graph, Sequence};
///
/// #[vyre::kernel]
/// fn add(from: &[u32], #[each] to: &mut u32) {
///     *to += from[thread::index()];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut y) = (device.upload(&[1, 2, 3])?, device.zeros(3)?);
/// let mut steps = Sequence::new(&device);
/// let node = steps.node(add(&x, &mut y).over(3))?;
/// let sums = steps.read(&y, ..)?;
///
/// let mut graph: Graph = steps.into_graph()?;
/// let stream = device.stream()?;
/// for _ in 0..10 {
///     graph.launch(&stream)?; // does not wait
/// }
/// assert_eq!(graph.wait()?.get(&sums), Some(&[10, 20, 30][..]));
///
/// let other = device.upload(&[100, 100, 100])?;
/// graph.set(&node, add(&other, &mut y).over(3))?;
/// assert_eq!(graph.run()?.get(&sums), Some(&[110, 120, 130][..]));
/// # Ok(())
/// # }
/// ```
///
/// **Faults.** A [fault](crate::Error::Fault) is told once, by the wait for the launch, or by the first wait for a stream
/// on which the graph was launched since. The other nodes of the launch run, loops end after the turn in progress, and what
/// the launch writes is unspecified. The next launch starts from the beginning.
///
/// **Loops** of up to some thousand steps are unrolled. The device repeats longer ones, and a
/// [`fixpoint`](Sequence::fixpoint), by itself, if the driver supports CUDA 12.4. Else the host launches their turns, which
/// [`Stats::graph_turns`](crate::Stats::graph_turns) counts.
///
/// **Constants** set by the host have the values of the time when the graph was made, or the node was set.
pub struct Graph {
    sequence: Sequence,
    /// `None` where graphs are played back, and after an exchange that failed, until the next launch.
    on_device: Option<OnDevice>,
    last: Option<Last>,
}

/// The last launch.
struct Last {
    target: Target,
    end: Arc<dyn Moment>,
    /// What it has read, where it is not the graph's own memory.
    staging: Option<Staging>,
}

impl Sequence {
    /// Makes a graph of the steps. On a GPU it is ready to be launched when this returns.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(3)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.fill(&mut x, 5)?;
    /// let mut graph = steps.into_graph()?;
    /// graph.run()?;
    /// assert_eq!(x.download()?, [5, 5, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], and other errors of the driver.
    pub fn into_graph(self) -> Result<Graph> {
        let mut graph = Graph {
            sequence: self,
            on_device: None,
            last: None,
        };
        graph.sequence.settle_source()?;
        graph.on_device = graph.make()?;
        Ok(graph)
    }
}

impl Graph {
    /// The device.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let graph = vyre::Sequence::new(&device).into_graph()?;
    /// assert_eq!(graph.device(), device);
    /// # Ok(())
    /// # }
    /// ```
    pub fn device(&self) -> Device {
        self.sequence.device()
    }

    /// Launches it on a stream, and does not wait. A launch runs after the one before, on whatever stream that was, and is
    /// ordered with other work as one kernel that uses all of its memory.
    ///
    /// With a driver older than CUDA 12.4 the host looks at the flag of a [`fixpoint`](Sequence::fixpoint) after each turn,
    /// so this returns when the last fixpoint has ended.
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
    /// steps.repeat(5, |body| body.launch(twice(&mut x).over(3)))?;
    /// let mut graph = steps.into_graph()?;
    /// graph.launch(&device.stream()?)?;
    /// graph.launch(&device.default_stream())?;
    /// assert_eq!(x.download()?, [1024, 2048, 3072]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongDevice`] for a stream of another device; the fault of an earlier launch that a copy of the graph
    /// would read from; errors of the driver.
    pub fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.sequence.check("the stream", &stream.device())?;
        self.queue(stream, false).map(drop)
    }

    /// Waits for the last launch, and returns what it has read; without a launch before, or after one that failed, nothing.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(3)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.write(&mut x, &[1, 2, 3])?;
    /// let all = steps.read(&x, ..)?;
    /// let mut graph = steps.into_graph()?;
    /// assert_eq!(graph.wait()?.get(&all), None);
    /// graph.launch(&device.default_stream())?;
    /// assert_eq!(graph.wait()?.get(&all), Some(&[1, 2, 3][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn wait(&mut self) -> Result<Readback> {
        let mut values = Readback::new();
        self.wait_into(&mut values)?;
        Ok(values)
    }

    /// As [`wait`](Graph::wait), into values whose memory is used again.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::{Readback, Sequence};
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3])?;
    /// let mut steps = Sequence::new(&device);
    /// steps.launch(twice(&mut x).over(3))?;
    /// let first = steps.read(&x, ..1)?;
    /// let mut graph = steps.into_graph()?;
    /// let (stream, mut values) = (device.stream()?, Readback::new());
    /// for turn in 1..5 {
    ///     graph.launch(&stream)?;
    ///     graph.wait_into(&mut values)?;
    ///     assert_eq!(values.get(&first), Some(&[1 << turn][..]));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Sequence::run`]. There are no values then.
    pub fn wait_into(&mut self, values: &mut Readback) -> Result<()> {
        values.clear(&self.sequence.layout)?;
        let Some(last) = self.last.take() else { return Ok(()) };
        last.end.wait()?;
        let staging = match (&last.staging, &self.on_device) {
            (Some(own), _) => own,
            (None, Some(on_device)) => &on_device.staging,
            (None, None) => return Ok(()),
        };
        let Sequence { log, layout, .. } = &mut self.sequence;
        log.land(last.target, layout, staging, values)
    }

    /// Launches it on the stream of the sequence, waits, and returns what it has read.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::Sequence;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(3)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.write(&mut x, &[1, 2, 3])?;
    /// let all = steps.read(&x, ..)?;
    /// let mut graph = steps.into_graph()?;
    /// assert_eq!(graph.run()?.get(&all), Some(&[1, 2, 3][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`launch`](Graph::launch) and [`wait`](Graph::wait).
    pub fn run(&mut self) -> Result<Readback> {
        let stream = self.sequence.stream.clone();
        self.queue(&stream, false)?;
        self.wait()
    }

    /// As [`run`](Graph::run), into values whose memory is used again, with the time that it took. That of the device is
    /// from the first node to the end of the last one.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// use vyre::{Readback, Sequence};
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<u32>(1 << 20)?;
    /// let mut steps = Sequence::new(&device);
    /// steps.repeat(10, |body| body.fill(&mut x, 1))?;
    /// let mut graph = steps.into_graph()?;
    /// let timing = graph.run_timed(&mut Readback::new())?;
    /// println!("{:?} on the device, {:?} to launch it", timing.device, timing.enqueue);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`run`](Graph::run). There are no values then, and no times.
    pub fn run_timed(&mut self, values: &mut Readback) -> Result<Timing> {
        let began = Instant::now();
        let stream = self.sequence.stream.clone();
        let start = self.queue(&stream, true)?;
        let end = self.last.as_ref().map(|last| last.end.clone());
        let enqueue = began.elapsed();
        self.wait_into(values)?;
        let timing = Timing::between(began, enqueue, start.as_deref().zip(end.as_deref()))?;
        timing.count(&self.device());
        Ok(timing)
    }

    /// Exchanges the arguments and the extent of a launch, for later launches of the graph: those that run are not
    /// changed. The kernel must be the same. In a loop the launch is exchanged in every turn.
    ///
    /// If the new arguments meet other steps in other places than those before, the graph is made anew, which takes longer.
    /// The graph keeps the memory of the old arguments, too.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # use vyre::{Error, Sequence};
    /// # #[vyre::kernel]
    /// # fn set(#[each] x: &mut u32, value: u32) {
    /// #     *x = value;
    /// # }
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros(3)?;
    /// let mut steps = Sequence::new(&device);
    /// let node = steps.node(set(&mut x, 1).over(3))?;
    /// let mut graph = steps.into_graph()?;
    /// graph.set(&node, set(&mut x, 7).over(3))?;
    /// graph.run()?;
    /// assert_eq!(x.download()?, [7, 7, 7]);
    /// // Another kernel is refused, and changes nothing.
    /// let refused = graph.set(&node, twice(&mut x).over(3));
    /// assert!(matches!(refused, Err(Error::WrongKernel { .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Sequence::launch`]; [`Error::WrongKernel`]; [`Error::ForeignNode`] for a node of another sequence, and
    /// for one that recorded nothing, because its domain was empty; [`Error::EmptyGrid`] for an empty domain; errors of the
    /// driver. Nothing is changed then.
    pub fn set(&mut self, node: &LaunchNode, launch: impl Recordable) -> Result<()> {
        let device = self.device();
        let mut recorded = Sequence::new(&device).on(&self.sequence.stream)?;
        launch.record(&mut recorded)?;
        let number = match node.number {
            Some(number) if node.sequence == self.sequence.layout.sequence() => number,
            _ => return Err(Error::ForeignNode),
        };
        let Some(Step::Launch(mut new)) = recorded.steps.pop() else {
            return Err(Error::EmptyGrid {
                kernel: self.kernel_of(number).into(),
                grid: [0; 3],
            });
        };
        new.number = number;
        let Some(place) = find(&mut self.sequence.steps, number) else {
            return Err(Error::ForeignNode);
        };
        let (kernel, old) = (new.kernel.description(), place.kernel.description());
        // Each kernel has a cache of its own.
        if !std::ptr::eq(&raw const kernel.cache, &raw const old.cache) {
            return Err(Error::WrongKernel {
                kernel: kernel.name.to_owned().into(),
                recorded: old.name.to_owned().into(),
            });
        }
        mem::swap(place, &mut new);
        let Err(error) = self.apply(number) else {
            recorded.holdings.share_with(&mut self.sequence.holdings);
            return Ok(());
        };
        // The old arguments again.
        if let Some(place) = find(&mut self.sequence.steps, number) {
            mem::swap(place, &mut new);
        }
        Err(error)
    }

    /// Brings the exchange of a launch to the device.
    fn apply(&mut self, number: usize) -> Result<()> {
        let state = self.device().state();
        let Some(on_device) = &mut self.on_device else {
            return Ok(());
        };
        if matches!(on_device.exchange(state, &self.sequence.steps, number), Ok(true)) {
            return Ok(());
        }
        // Values that were not taken are in its memory.
        if let Some(last) = &self.last {
            last.end.wait().inspect_err(|_| self.on_device = None)?;
        }
        // After an error, too: some nodes of the old one may have been exchanged. The next launch makes it again.
        let made = self.make();
        let old = self.on_device.take();
        if let (Some(last), Some(old)) = (&mut self.last, old) {
            last.staging.get_or_insert(old.staging);
        }
        self.on_device = made?;
        Ok(())
    }

    /// The name of the kernel of a launch.
    fn kernel_of(&mut self, number: usize) -> String {
        find(&mut self.sequence.steps, number)
            .map_or_else(String::new, |node| node.kernel.description().name.to_owned())
    }

    /// Makes the graph of the device; `None` if it has none.
    fn make(&self) -> Result<Option<OnDevice>> {
        let Sequence {
            steps, chunks, layout, ..
        } = &self.sequence;
        let (device, stream) = (self.device().state(), self.sequence.stream.state());
        OnDevice::new(device, stream, steps, Host { chunks, layout })
    }

    /// Queues it, and returns the moment before, if it is timed.
    fn queue(&mut self, stream: &Stream, timed: bool) -> Result<Option<Box<dyn Moment>>> {
        if self.on_device.is_none() {
            self.on_device = self.make()?;
        }
        let target = Target {
            device: self.device().state(),
            stream: stream.state(),
        };
        let Some(on_device) = &mut self.on_device else {
            return self.play_back(stream, timed, target);
        };
        if let Some(last) = &self.last
            && !std::ptr::eq(last.target.stream, target.stream)
        {
            target.stream.follow(last.target.stream, target.device)?;
        }
        let Sequence {
            steps,
            holdings,
            chunks,
            layout,
            log,
            ..
        } = &mut self.sequence;
        let player = Player {
            target,
            chunks,
            layout,
            log,
        };
        let Launched { start, end } = player.queue_graph(steps, on_device, holdings, timed)?;
        self.last = Some(Last {
            target,
            end,
            staging: None,
        });
        start
    }

    /// Runs the steps one by one, where the device has no graphs.
    fn play_back(&mut self, stream: &Stream, timed: bool, target: Target) -> Result<Option<Box<dyn Moment>>> {
        let own = mem::replace(&mut self.sequence.stream, stream.clone());
        let queued = self.sequence.queue(timed);
        self.sequence.stream = own;
        let Queued { start, end, staging } = queued?;
        self.last = Some(Last {
            target,
            end,
            staging: Some(staging),
        });
        Ok(start)
    }
}

/// The launch of a number.
fn find(steps: &mut [Step], number: usize) -> Option<&mut Box<Node>> {
    steps.iter_mut().find_map(|step| match step {
        Step::Launch(node) if node.number == number => Some(node),
        Step::Repeat { body, .. } | Step::Fixpoint { body, .. } => find(body, number),
        _ => None,
    })
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph of {} steps on {}", self.sequence.steps.len(), self.device())
    }
}

const _: () = {
    const fn sent<T: Send>() {}
    sent::<Graph>();
};
