//! Launches: a kernel, its arguments and its extent.

pub(crate) mod arguments;
pub(crate) mod conditions;
pub(crate) mod constant;
mod fits;
pub(crate) mod kernel;
#[cfg(feature = "programs")]
pub(crate) mod over_device;
pub(crate) mod pending;
#[cfg(feature = "programs")]
pub(crate) mod split;
pub(crate) mod submission;
pub(crate) mod timing;

use std::fmt;

use self::arguments::Arguments;
use self::conditions::Conditions;
use self::kernel::Kernel;
use self::submission::{Launched, Queued, Submission};
use crate::backend::Extent;
use crate::device::Device;
use crate::device::stream::{Stream, StreamState};
use crate::error::Result;
use crate::load::kernel::KernelInfo;

/// A kernel with its arguments and its extent: everything that a launch needs but the device.
///
/// Launchers create it with `over` and `grid`.
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
/// let launch = twice(&mut x).over(1000); // nothing runs yet
/// launch.launch(&device)?;
/// assert_eq!(x.download()?, [2; 1000]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing runs before `.launch(&device)`"]
pub struct Launch<K> {
    pub(crate) kernel: K,
    pub(crate) extent: Extent,
    pub(crate) stream: Option<Stream>,
    pub(crate) shared_bytes: u64,
    pub(crate) split: bool,
    pub(crate) captured: bool,
}

impl<K: Kernel> Launch<K> {
    /// A launch that covers a domain with whole blocks of the kernel's shape. Axes that the kernel
    /// does not use have the length 1. An empty domain is allowed, and nothing runs.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// use vyre::Launch;
    ///
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1; 1000])?;
    /// Launch::over(twice(&mut x), [1000, 1, 1]).launch(&device)?; // as `twice(&mut x).over(1000)`
    /// assert_eq!(x.download()?, [2; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn over(kernel: K, domain: [u64; 3]) -> Launch<K> {
        Launch {
            kernel,
            extent: Extent::Over(domain),
            stream: None,
            shared_bytes: 0,
            split: false,
            captured: false,
        }
    }

    /// A launch of this number of blocks along each axis.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// use vyre::Launch;
    ///
    /// #[vyre::kernel(block = 64)]
    /// fn count(y: &[AtomicU32]) {
    ///     y[0].fetch_add(1, Ordering::Relaxed);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut y = device.zeros(1)?;
    /// Launch::grid(count(&mut y), [3, 1, 1]).launch(&device)?; // as `count(&mut y).grid(3)`
    /// assert_eq!(y.download()?, [3 * 64]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn grid(kernel: K, grid: [u32; 3]) -> Launch<K> {
        Launch {
            kernel,
            extent: Extent::Grid(grid),
            stream: None,
            shared_bytes: 0,
            split: false,
            captured: false,
        }
    }

    /// Launches on this stream instead of the device's default.
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
    /// assert_eq!(x.download()?, [2; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on(mut self, stream: &Stream) -> Launch<K> {
        self.stream = Some(stream.clone());
        self
    }

    /// Gives each block `bytes` bytes of dynamic shared memory, used by `shared::dynamic` and
    /// `shared::slice`; 0 by default. More than the device has is an error at the launch.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// The number of values that the launch has given room for.
    /// #[vyre::kernel]
    /// fn room(y: &mut [usize]) {
    ///     let room = shared::dynamic::<f32>();
    ///     if thread::index() == 0 {
    ///         y[0] = room.len();
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut y = device.zeros(1)?;
    /// room(&mut y).grid(1).shared_bytes(4096).launch(&device)?;
    /// assert_eq!(y.download()?, [1024]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn shared_bytes(mut self, bytes: usize) -> Launch<K> {
        self.shared_bytes = bytes as u64;
        self
    }

    /// Cuts the kernel at its barriers of the grid, if true, and queues the parts one after the other: `grid::sync()` then
    /// works for grids of any size, where all blocks at once must [fit](Launch::fits) otherwise. False by default.
    ///
    /// With the feature `programs`: the program of the kernel is cut and lowered again when it is first launched so. What
    /// threads keep over a barrier is computed again if it is made of arguments and indices alone, else it is kept in
    /// memory: a buffer with an element for each thread, for shared memory one for each block. On the CPU the interpreter
    /// runs the parts, which is slow.
    ///
    /// How often a loop around a barrier runs, or which branch, is known on the device alone: all parts are queued in turn, at
    /// most 64 times, and the launch waits for them before it queues more. Parts whose turn it is not end at once.
    ///
    /// Parts are launches: other work can run between them, and [`stats`](Device::stats) count each. None runs
    /// after one that has faulted.
    ///
    /// ```
    /// # #[cfg(feature = "programs")] {
    /// # use vyre::prelude::*;
    /// /// Rotates the values by the size of a block.
    /// #[vyre::kernel(block = 64)]
    /// fn rotate(x: &[AtomicU32]) {
    ///     let i = thread::index();
    ///     let value = x[(i + 64) % x.len()].load(Ordering::Relaxed);
    ///     grid::sync();
    ///     x[i].store(value, Ordering::Relaxed);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&(0..64 * 100).collect::<Vec<u32>>())?;
    /// rotate(&mut x).grid(100).split(true).launch(&device)?; // the CPU allows 32 blocks at once
    /// assert_eq!(x.download()?[0], 64);
    /// # Ok(())
    /// # }
    /// # main().unwrap() }
    /// ```
    ///
    /// # Errors
    /// The launch answers [`Unsupported`](crate::Error::Unsupported) without the feature, for a reference that cannot be made
    /// again behind a barrier, for shared memory of atomics, of barriers or of a size known at the launch that would have to
    /// last over one, and in a sequence. With a barrier in a loop or branch it waits, and answers the
    /// [`Fault`](crate::Error::Fault) of a part, also if some threads do not come to a barrier.
    pub fn split(mut self, split: bool) -> Launch<K> {
        self.split = split;
        self
    }

    /// Lets the launch go into a graph, if somebody else captures the stream when it is launched; see the page "Beside other
    /// CUDA libraries" of the book. On a stream that nobody captures, it is launched as ever.
    ///
    /// The graph then holds the kernel with its arguments as they are. The kernel must not report anything: one that can
    /// fault, prints or waits for the grid is refused, as is memory of vyre that other streams have used since. Without this
    /// every launch on a captured stream is refused, before the capture would become invalid.
    ///
    /// ```no_run
    /// # use vyre::prelude::*;
    /// use vyre::Stream;
    /// use vyre::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
    ///
    /// #[vyre::kernel]
    /// fn add(#[each] x: &f32, #[each] y: &mut f32) {
    ///     *y += *x;
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let device = Device::cuda(0)?;
    /// let theirs = device.to_cudarc()?.new_stream()?;
    /// let stream = Stream::from_cudarc(theirs.clone())?;
    /// let (x, mut y) = (theirs.clone_htod(&[1.0f32; 100])?, theirs.alloc_zeros::<f32>(100)?);
    /// let (from, mut to) = (device.lend(&x)?, device.lend_mut(&mut y)?);
    /// theirs.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL)?;
    /// // SAFETY: the graph is launched while the slices live, and on their stream.
    /// unsafe { add(&from, &mut to).over(100).on(&stream).captured() }.launch(&device)?;
    /// let graph = theirs.end_capture(CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)?;
    /// graph.ok_or("an empty graph")?.launch()?;
    /// assert_eq!(theirs.clone_dtoh(&y)?, [1.0; 100]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// Each launch of the graph is one of the kernel with these arguments, of which vyre knows nothing. As long as the graph
    /// may run, their memory lives, and nothing else accesses it in a conflicting way; other work on it is in order with the
    /// graph's.
    pub unsafe fn captured(mut self) -> Launch<K> {
        self.captured = true;
        self
    }

    /// Queues the kernel on the device; on the CPU, runs it. Does not wait for a GPU.
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
    /// for _ in 0..3 {
    ///     twice(&mut x).over(1000).launch(&device)?; // returns before the kernel is done
    /// }
    /// assert_eq!(x.download()?, [8; 1000]); // waits
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those that are known before the kernel runs: arguments of another device ([`WrongDevice`]), a grid without blocks
    /// ([`EmptyGrid`]) or along axes that the kernel does not use ([`WrongDimensions`]) or without whole clusters
    /// ([`BrokenClusters`]), more than the device can launch ([`TooLarge`]), lengths that differ ([`LengthMismatch`]), a
    /// kernel that cannot be loaded ([`PtxRejected`], [`Unsupported`]), a condition that a kernel which denies races has
    /// ([`MayRace`]), errors of the driver. A fault that the kernel
    /// reports while it runs comes out of the next wait, as [`Fault`], and out of each download of what the kernel may
    /// have written.
    ///
    /// [`WrongDevice`]: crate::Error::WrongDevice
    /// [`EmptyGrid`]: crate::Error::EmptyGrid
    /// [`WrongDimensions`]: crate::Error::WrongDimensions
    /// [`BrokenClusters`]: crate::Error::BrokenClusters
    /// [`TooLarge`]: crate::Error::TooLarge
    /// [`LengthMismatch`]: crate::Error::LengthMismatch
    /// [`MayRace`]: crate::Error::MayRace
    /// [`PtxRejected`]: crate::Error::PtxRejected
    /// [`Unsupported`]: crate::Error::Unsupported
    /// [`Fault`]: crate::Error::Fault
    pub fn launch(self, device: &Device) -> Result<()> {
        self.erased().launch(device)
    }

    /// As [`Submission::enqueue`], in parts if it is split.
    fn enqueue(
        &self,
        device: &Device,
        before: impl FnOnce(&'static StreamState) -> Result<()>,
    ) -> Result<Option<Launched>> {
        self.erased().enqueue(device, before)
    }

    /// True if the kernel is launched in parts. One without barriers of the grid is its own only part.
    pub(crate) fn is_split(&self) -> bool {
        self.split && K::info().cooperative
    }

    pub(crate) fn erased(&self) -> Erased<'_> {
        Erased {
            info: K::info(),
            kernel: &self.kernel,
            extent: self.extent,
            stream: self.stream.as_ref(),
            shared_bytes: self.shared_bytes,
            is_split: self.is_split(),
            captured: self.captured,
        }
    }
}

/// A launch without the type of its kernel. Functions that are generic over kernels are compiled again for each kernel of a
/// user's crate.
pub(crate) struct Erased<'a> {
    info: &'static KernelInfo,
    kernel: &'a dyn Kernel,
    extent: Extent,
    stream: Option<&'a Stream>,
    shared_bytes: u64,
    is_split: bool,
    captured: bool,
}

impl<'a> Erased<'a> {
    fn launch(&self, device: &Device) -> Result<()> {
        match self.is_split {
            true => self.enqueue_split(device, &mut nothing).map(drop),
            false => self.enqueue_whole(device, nothing).map(drop),
        }
    }

    fn enqueue(
        &self,
        device: &Device,
        before: impl FnOnce(&'static StreamState) -> Result<()>,
    ) -> Result<Option<Launched>> {
        match self.is_split {
            true => self.enqueue_split(device, &mut once(before)),
            false => Ok(self.enqueue_whole(device, before)?.map(Launched::from)),
        }
    }

    #[inline]
    fn enqueue_whole(
        &self,
        device: &Device,
        before: impl FnOnce(&'static StreamState) -> Result<()>,
    ) -> Result<Option<Queued>> {
        let mut arguments = self.checked_arguments()?;
        // SAFETY: the arguments and the entry are those of the kernel, by the contract of `Kernel`.
        unsafe { self.submission(&mut arguments).enqueue(device, before) }
    }

    #[inline]
    fn checked_arguments(&self) -> Result<Arguments<'a>> {
        self.kernel.check()?;
        let mut arguments = Arguments::new();
        self.kernel.arguments(&mut arguments);
        let conditions = Conditions::of(self.info, self.kernel);
        // SAFETY: the arguments are those of the kernel, by the contract of `Kernel`.
        unsafe { conditions.check(arguments.pointers(), self.extent, self.shared_bytes)? };
        Ok(arguments)
    }

    /// The launch with the entry to run.
    #[inline]
    fn submission<'s>(&'s self, arguments: &'s mut Arguments<'a>) -> Submission<'s, 'a> {
        Submission {
            kernel: self.info,
            interpreter: None,
            arguments,
            entry: submission::entry(self.info, self.kernel.entry(), self.extent, || self.kernel.elements()),
            extent: self.extent,
            stream: self.stream,
            shared_bytes: self.shared_bytes,
            captured: self.captured,
        }
    }

    #[cfg(not(feature = "programs"))]
    #[cold]
    fn enqueue_split(
        &self,
        device: &Device,
        _before: &mut dyn FnMut(&'static StreamState) -> Result<()>,
    ) -> Result<Option<Launched>> {
        let reason = "it needs the compiler; enable the feature `programs` of `vyre`";
        Err(submission::no_split(self.info, device, reason))
    }
}

/// Calls `before` the first time, for the first of several parts.
pub(crate) fn once(
    before: impl FnOnce(&'static StreamState) -> Result<()>,
) -> impl FnMut(&'static StreamState) -> Result<()> {
    let mut before = Some(before);
    move |stream| before.take().map_or(Ok(()), |before| before(stream))
}

/// Does nothing before a launch is queued. A function, since a closure would instantiate `Submission::enqueue` for each kernel.
fn nothing(_: &'static StreamState) -> Result<()> {
    Ok(())
}

/// Launches a kernel and waits for it. Tells its own fault, and none of another launch.
pub fn run<K: Kernel>(launch: Launch<K>, device: &Device) -> Result<()> {
    match launch.enqueue(device, nothing)? {
        Some(launched) => submission::wait(device, &launched),
        None => Ok(()),
    }
}

impl Device {
    /// Loads a kernel, which its first launch does otherwise: `device.load::<Saxpy>()?`. On a GPU the driver
    /// assembles it, or has its machine code from an earlier process. Several threads load kernels at the same
    /// time.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// device.load::<Twice>()?; // the first launch finds it loaded
    /// let mut x = [1, 2, 3];
    /// Twice::dispatch(&device, &mut x)?;
    /// assert_eq!(x, [2, 4, 6]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`PtxRejected`](crate::Error::PtxRejected), [`Unsupported`](crate::Error::Unsupported) if the device is too old for
    /// the kernel, [`TooLarge`](crate::Error::TooLarge) if its blocks are too large for the device,
    /// [`OutOfMemory`](crate::Error::OutOfMemory), or an error of the driver.
    pub fn load<K: Kernel>(&self) -> Result<()> {
        self.state().backend().load(K::info())
    }

    /// The number of blocks of a kernel that the device runs at the same time, each with
    /// `shared_bytes` bytes of dynamic shared memory: the limit for launches of kernels that use
    /// `grid::sync()`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// Rotates the values by the size of the grid.
    /// #[vyre::kernel(block = 64)]
    /// fn rotate(x: &[AtomicU32]) {
    ///     let i = thread::index();
    ///     let value = x[(i + 64) % x.len()].load(Ordering::Relaxed);
    ///     grid::sync();
    ///     x[i].store(value, Ordering::Relaxed);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&(0..128).collect::<Vec<u32>>())?;
    /// let kernel = rotate(&mut x);
    /// assert!(device.resident_blocks(&kernel, 0)? >= 2);
    /// kernel.grid(2).launch(&device)?;
    /// assert_eq!(x.download()?[0], 64);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of loading the kernel, and [`Error::TooLarge`](crate::Error::TooLarge) if the device
    /// cannot hold a block.
    pub fn resident_blocks<K: Kernel>(&self, kernel: &K, shared_bytes: usize) -> Result<u32> {
        let queue = self.default_state().queue();
        let (info, entry) = (K::info(), kernel.entry());
        // Launches of a number of blocks do not use coarsened entries.
        let is_coarsened = info.entries.get(entry).is_some_and(|entry| entry.coarsening != 1);
        let entry = if is_coarsened { info.entries.len() - 1 } else { entry };
        let blocks = queue.resident_blocks(info, entry, shared_bytes as u64)?;
        Ok(u32::try_from(blocks).unwrap_or(u32::MAX))
    }
}

impl<K: Kernel> fmt::Debug for Launch<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Launch of `{}`, {:?}", K::info().name, self.extent)
    }
}
