//! Devices and their streams.

pub(crate) mod catalogue;
#[cfg(feature = "check")]
mod checked;
pub(crate) mod constants;
pub(crate) mod event;
pub(crate) mod faults;
mod life;
mod queries;
mod raw;
pub(crate) mod staging;
pub(crate) mod stream;
#[cfg(feature = "programs")]
pub(crate) mod support;
mod telemetry;
pub(crate) mod wakes;

use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use self::constants::Constants;
use self::faults::Faults;
use self::staging::StagingPool;
use self::stream::{Stream, StreamState};
use self::wakes::Wakes;
use crate::backend::{Backend, Queue};
use crate::checking::Checking;
use crate::cpu::Cpu;
use crate::cuda;
use crate::error::{Error, Result};
#[cfg(feature = "programs")]
use crate::programs;
use crate::stats::Counters;
use crate::sync::Mutex;
use crate::trace::span;

/// A device that runs kernels: a CUDA GPU, or the CPU.
///
/// Cheap to clone, and usable from any thread. A device is opened once in a process and stays open,
/// with the kernels that it has loaded, until it is [shut down](Device::shutdown) or [lost](Device::is_lost).
///
/// ```
/// # use vyre::prelude::*;
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut y = device.upload(&[1.0f32, 2.0, 3.0])?;
/// y.fill(4.0)?;
/// assert_eq!(y.download()?, [4.0; 3]);
/// println!("computed on {device}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Device {
    state: &'static DeviceState,
    /// The default stream of this handle, if it is not that of the device.
    own: Option<Stream>,
}

/// The permanent state of an open device.
pub(crate) struct DeviceState {
    /// Tells it from all others of this process, closed ones included.
    id: u32,
    /// The number of a CUDA device, in the driver's order; `None` for the CPU.
    ordinal: Option<usize>,
    /// The number of a device that is the CPU, see [`Device::cpus`]; 0 for others.
    cpu: usize,
    backend: Box<dyn Backend>,
    default: &'static StreamState,
    /// The stream that fills buffers from the host, so that this does not wait for kernels.
    copies: &'static StreamState,
    /// All streams, including unleased ones.
    streams: Mutex<Vec<&'static StreamState>>,
    /// The first failure that no caller could be told.
    error: Mutex<Option<Error>>,
    constants: Constants,
    faults: Faults,
    staging: StagingPool,
    wakes: Wakes,
    /// The programs that were compiled for it.
    #[cfg(feature = "programs")]
    programs: programs::cache::Cache,
    /// The number of the last launch, allocation or write of a whole allocation. The numbers of uses of
    /// one allocation that conflict are in the order of the uses.
    clock: AtomicU64,
}

/// The back end of a device, and its number there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Cuda(usize),
    Cpu(usize),
    /// The CPU in checking mode, where the environment does not ask for it.
    #[cfg(feature = "check")]
    Checked,
}

/// The devices that are open. Closed ones are replaced.
static CPUS: Mutex<Vec<&'static DeviceState>> = Mutex::new(Vec::new());
static CUDA: Mutex<Vec<&'static DeviceState>> = Mutex::new(Vec::new());

/// The number, among those that are the CPU, of `Device::checked`.
pub(crate) const CHECKED_CPU: usize = usize::MAX;

/// A number that no other device of this process has.
fn next_id() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl Device {
    /// The first CUDA device, else the CPU.
    ///
    /// If this yields the CPU, [`Device::why`] says why.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// if let Some(reason) = device.why() {
    ///     eprintln!("running on the CPU: {reason}");
    /// }
    /// assert_eq!(device.upload(&[1, 2, 3])?.download()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is a CUDA device but it cannot be opened. Without the feature `cpu`, which is on by default,
    /// [`Error::MissingFeature`] if there is none.
    ///
    /// With `VYRE_CHECK=1` in the environment it is the CPU, [checked](Device::cpu). Without the feature `check` that is
    /// [`Error::MissingFeature`].
    pub fn best() -> Result<Device> {
        match Checking::of_environment() {
            Checking::Off => {}
            Checking::On(_) => return Ok(Device::cpu()),
            Checking::Refused(error) => return Err(error.clone()),
        }
        match cuda::count() {
            Ok(1..) => Device::cuda(0),
            _ if cfg!(feature = "cpu") => Ok(Device::cpu()),
            Ok(0) => Err(Error::without_cpu("`Device::best()` without a CUDA device")),
            Err(error) => Err(Error::without_cpu(&format!(
                "`Device::best()` without a CUDA device ({error})"
            ))),
        }
    }

    /// A CUDA device by its number, from 0, in the driver's order.
    ///
    /// The first call for a device opens it, which takes some tenths of a second.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// match Device::cuda(0) {
    ///     Ok(device) => assert!(device.is_cuda()),
    ///     Err(error) => println!("no GPU: {error}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::DriverTooOld`], [`Error::NoDevice`], or an error of the driver.
    pub fn cuda(index: usize) -> Result<Device> {
        let mut devices = CUDA.lock();
        devices.retain(|device| !device.backend.is_closed());
        if let Some(state) = devices.iter().find(|device| device.ordinal == Some(index)) {
            return Ok(Device::of(state));
        }
        let id = next_id();
        let backend = cuda::open(index, id)?;
        let queues = [backend.open_queue(0)?, backend.open_queue(0)?];
        let state = DeviceState::keep(id, Kind::Cuda(index), backend, queues);
        devices.push(state);
        Ok(Device::of(state))
    }

    /// The CPU, which runs the same kernels with the same results.
    ///
    /// With `VYRE_CHECK=1` in the environment, launches run in checking mode, as on `Device::checked`, which has the feature
    /// `check`. Without the feature each use of the device is [`Error::MissingFeature`], as it is without the feature `cpu`,
    /// which is on by default.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1, 2, 3];
    /// Twice::dispatch(&Device::cpu(), &mut x)?;
    /// assert_eq!(x, [2, 4, 6]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cpu() -> Device {
        Device::numbered_cpu(0)
    }

    /// The CPU as several devices, the first of which is [`Device::cpu`]: for tests of programs that use several GPUs.
    /// Each has streams, faults and statistics of its own; their threads are the same. The same number gives the same
    /// devices.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let devices = Device::cpus(3);
    /// assert_eq!((devices.len(), &devices[0]), (3, &Device::cpu()));
    /// let x = devices[1].upload(&[1, 2, 3])?;
    /// let mut y = devices[2].zeros(3)?;
    /// y.copy_from(&x)?; // as between two GPUs
    /// assert_eq!(y.download()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cpus(count: usize) -> Vec<Device> {
        (0..count).map(Device::numbered_cpu).collect()
    }

    pub(crate) fn numbered_cpu(number: usize) -> Device {
        let mut open = CPUS.lock();
        open.retain(|device| !device.backend.is_closed());
        if let Some(state) = open.iter().find(|device| device.cpu == number) {
            return Device::of(state);
        }
        let state = DeviceState::of_cpu(Kind::Cpu(number), &Checking::of_cpu());
        open.push(state);
        Device::of(state)
    }

    /// The name, as the vendor calls it.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// for device in Device::all() {
    ///     println!("{}: {}", device.id(), device.name()); // cuda:0: NVIDIA H200
    ///     assert!(!device.name().is_empty());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &str {
        self.state.name()
    }

    /// True for a CUDA device, false for the CPU.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// assert!(!Device::cpu().is_cuda());
    /// let gpus = Device::all().into_iter().filter(Device::is_cuda).count();
    /// println!("{gpus} GPUs");
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_cuda(&self) -> bool {
        self.state.ordinal.is_some()
    }

    /// A stream of its own, beside [the default](Device::default_stream).
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
    /// stream.synchronize()?;
    /// assert_eq!(x.download()?, [2; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn stream(&self) -> Result<Stream> {
        self.stream_with_priority(0)
    }

    /// A stream whose work goes before that of streams of lower priority, as far as it waits for a free
    /// multiprocessor; blocks that run are not interrupted. 0 is the ordinary priority, and a number above
    /// [`max_stream_priority`](Device::max_stream_priority) is as good as that.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let urgent = device.stream_with_priority(u32::MAX)?;
    /// assert_eq!(urgent.priority(), device.max_stream_priority());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn stream_with_priority(&self, priority: u32) -> Result<Stream> {
        let priority = priority.min(self.max_stream_priority());
        let mut streams = self.state.streams.lock();
        let mut alike = streams.iter().filter(|stream| stream.priority() == priority);
        if let Some(stream) = alike.find(|stream| stream.try_lease(self.state)) {
            return Ok(Stream::of(self.state, stream));
        }
        let queue = self.state.backend.open_queue(priority)?;
        let stream: &'static StreamState = Box::leak(Box::new(StreamState::new(queue, priority)));
        streams.push(stream);
        Ok(Stream::of(self.state, stream))
    }

    /// The highest priority of streams; 0 where all are alike, as on the CPU.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let stream = device.stream_with_priority(device.max_stream_priority())?;
    /// assert!(stream.priority() >= device.default_stream().priority());
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_stream_priority(&self) -> u32 {
        self.state.backend.max_priority()
    }

    /// The default stream of launches.
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
    /// twice(&mut x).launch(&device)?; // on the default stream
    /// let done = device.default_stream().record()?;
    /// done.wait()?;
    /// assert!(done.is_done()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn default_stream(&self) -> Stream {
        match &self.own {
            Some(stream) => stream.clone(),
            None => Stream::of(self.state, self.state.default),
        }
    }

    /// Waits for the work on all streams of this device.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel]
    /// fn invert(#[each] x: &mut u32) {
    ///     *x = 100 / *x;
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[5, 0])?;
    /// invert(&mut x).launch(&device)?;
    /// assert!(device.synchronize().is_err()); // the division by zero
    /// assert!(device.synchronize().is_ok()); // it is told once
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Fault`] if a kernel has reported one that nobody was told yet. Each call tells one
    /// fault. The device stays usable.
    pub fn synchronize(&self) -> Result<()> {
        let _span = span!("wait", device = self.to_string());
        let streams = self.state.streams.lock().clone();
        streams.iter().try_for_each(|stream| stream.queue().wait())?;
        for stream in streams {
            stream.collect(self.state)?;
        }
        self.state.faults.tell_any()?;
        self.state.take_error()
    }

    pub(crate) fn of(state: &'static DeviceState) -> Device {
        Device { state, own: None }
    }

    /// The same device with another stream as the default one of launches and of new buffers.
    pub(crate) fn with_default(&self, stream: &Stream) -> Device {
        Device {
            state: self.state,
            own: Some(stream.clone()),
        }
    }

    /// The state of the default stream of launches.
    #[inline]
    pub(crate) fn default_state(&self) -> &'static StreamState {
        match &self.own {
            Some(stream) => stream.state(),
            None => self.state.default,
        }
    }

    #[inline]
    pub(crate) fn state(&self) -> &'static DeviceState {
        self.state
    }
}

impl DeviceState {
    fn of_cpu(kind: Kind, checking: &Checking) -> &'static DeviceState {
        let cpu = Cpu::new(checking);
        let queues = [cpu.queue(), cpu.queue()];
        DeviceState::keep(next_id(), kind, Box::new(cpu), queues)
    }

    /// The state stays for the rest of the process: kernels keep their loaded functions for a
    /// device, and buffers refer to it at any time.
    pub(crate) fn keep(
        id: u32,
        kind: Kind,
        backend: Box<dyn Backend>,
        [default, copies]: [Box<dyn Queue>; 2],
    ) -> &'static DeviceState {
        let default: &'static StreamState = Box::leak(Box::new(StreamState::new(default, 0)));
        let copies: &'static StreamState = Box::leak(Box::new(StreamState::new(copies, 0)));
        let streams = Mutex::new(vec![default, copies]);
        let (ordinal, cpu) = match kind {
            Kind::Cuda(ordinal) => (Some(ordinal), 0),
            Kind::Cpu(number) => (None, number),
            #[cfg(feature = "check")]
            Kind::Checked => (None, CHECKED_CPU),
        };
        Box::leak(Box::new(DeviceState {
            id,
            ordinal,
            cpu,
            backend,
            default,
            copies,
            streams,
            error: Mutex::new(None),
            constants: Constants::default(),
            faults: Faults::default(),
            staging: StagingPool::default(),
            wakes: Wakes::default(),
            #[cfg(feature = "programs")]
            programs: programs::cache::Cache::default(),
            clock: AtomicU64::new(0),
        }))
    }

    #[inline]
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// The number of a CUDA device; `None` for the CPU.
    pub(crate) fn ordinal(&self) -> Option<usize> {
        self.ordinal
    }

    /// The number of a device that is the CPU.
    pub(crate) fn cpu(&self) -> usize {
        self.cpu
    }

    pub(crate) fn name(&self) -> &str {
        self.backend.name()
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    pub(crate) fn counters(&self) -> &Counters {
        self.backend.counters()
    }

    /// The programs that were compiled for it.
    #[cfg(feature = "programs")]
    pub(crate) fn programs(&self) -> &programs::cache::Cache {
        &self.programs
    }

    /// The constants set by the host.
    pub(crate) fn constants(&self) -> &Constants {
        &self.constants
    }

    #[inline]
    pub(crate) fn default_stream(&self) -> &'static StreamState {
        self.default
    }

    pub(crate) fn copies(&self) -> &'static StreamState {
        self.copies
    }

    /// The faults that launches have reported.
    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }

    pub(crate) fn clock(&self) -> &AtomicU64 {
        &self.clock
    }

    /// The next number of the clock.
    pub(crate) fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// True if the device itself has the stream for good.
    pub(crate) fn keeps(&self, stream: &StreamState) -> bool {
        ptr::eq(stream, self.default) || ptr::eq(stream, self.copies)
    }

    /// Refuses a device that is shut down.
    pub(crate) fn check_open(&self) -> Result<()> {
        match self.backend.is_closed() {
            false => Ok(()),
            true => Err(Error::Closed {
                device: self.name().to_owned(),
            }),
        }
    }

    /// Keeps an error that cannot be returned to a caller, for the next wait.
    pub(crate) fn keep_error(&self, error: Error) {
        self.error.lock().get_or_insert(error);
    }

    /// Takes the kept error.
    pub(crate) fn take_error(&self) -> Result<()> {
        match self.error.lock().take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        ptr::eq(self.state, other.state)
    }
}

impl Eq for Device {}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.state.ordinal, self.state.cpu) {
            (None, 0 | CHECKED_CPU) => f.write_str(self.name()),
            _ => write!(f, "{} ({})", self.name(), self.id()),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}
