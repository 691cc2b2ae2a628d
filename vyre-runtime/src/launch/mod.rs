//! Launches: a kernel, its arguments and its extent.

pub(crate) mod arguments;
pub(crate) mod constant;
pub(crate) mod kernel;
pub(crate) mod submission;
pub(crate) mod timing;

use std::fmt;

use self::arguments::Arguments;
use self::kernel::Kernel;
use self::submission::{Launched, Submission};
use crate::backend::Extent;
use crate::device::Device;
use crate::device::stream::{Stream, StreamState};
use crate::error::Result;
use crate::load::kernel::KernelInfo;

/// A kernel with its arguments and its extent: everything that a launch needs but the device.
///
/// Launchers create it with `over` and `grid`.
#[must_use = "nothing runs before `.launch(&device)`"]
pub struct Launch<K> {
    kernel: K,
    extent: Extent,
    stream: Option<Stream>,
    shared_bytes: u32,
}

impl<K: Kernel> Launch<K> {
    /// A launch that covers a domain with whole blocks of the kernel's shape. Axes that the kernel
    /// does not use have the length 1. An empty domain is allowed, and nothing runs.
    pub fn over(kernel: K, domain: [u64; 3]) -> Launch<K> {
        Launch {
            kernel,
            extent: Extent::Over(domain),
            stream: None,
            shared_bytes: 0,
        }
    }

    /// A launch of this number of blocks along each axis.
    pub fn grid(kernel: K, grid: [u32; 3]) -> Launch<K> {
        Launch {
            kernel,
            extent: Extent::Grid(grid),
            stream: None,
            shared_bytes: 0,
        }
    }

    /// Launches on this stream instead of the device's default.
    pub fn on(mut self, stream: &Stream) -> Launch<K> {
        self.stream = Some(stream.clone());
        self
    }

    /// Gives each block `bytes` bytes of dynamic shared memory, used by `shared::dynamic` and
    /// `shared::slice`; 0 by default. More than the device has is an error at the launch.
    pub fn shared_bytes(mut self, bytes: usize) -> Launch<K> {
        // No device has as much as the largest number, so the conversion saturates.
        self.shared_bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self
    }

    /// Queues the kernel on the device; on the CPU, runs it. Does not wait for a GPU.
    ///
    /// # Errors
    /// Those that are known before the kernel runs: arguments of another device ([`WrongDevice`]), a grid without blocks
    /// ([`EmptyGrid`]) or along axes that the kernel does not use ([`WrongDimensions`]) or without whole clusters
    /// ([`BrokenClusters`]), more than the device can launch ([`TooLarge`]), lengths that differ ([`LengthMismatch`]), a
    /// kernel that cannot be loaded ([`PtxRejected`], [`Unsupported`]), errors of the driver. A fault that the kernel
    /// reports while it runs comes out of the next wait, as [`Fault`], and out of each download of what the kernel may
    /// have written.
    ///
    /// [`WrongDevice`]: crate::Error::WrongDevice
    /// [`EmptyGrid`]: crate::Error::EmptyGrid
    /// [`WrongDimensions`]: crate::Error::WrongDimensions
    /// [`BrokenClusters`]: crate::Error::BrokenClusters
    /// [`TooLarge`]: crate::Error::TooLarge
    /// [`LengthMismatch`]: crate::Error::LengthMismatch
    /// [`PtxRejected`]: crate::Error::PtxRejected
    /// [`Unsupported`]: crate::Error::Unsupported
    /// [`Fault`]: crate::Error::Fault
    pub fn launch(self, device: &Device) -> Result<()> {
        self.enqueue(device, |_| Ok(())).map(drop)
    }

    /// As [`Submission::enqueue`].
    fn enqueue(
        self,
        device: &Device,
        before: impl FnOnce(&'static StreamState) -> Result<()>,
    ) -> Result<Option<Launched>> {
        let info = K::info();
        self.kernel.check()?;
        let mut arguments = Arguments::new();
        self.kernel.arguments(&mut arguments);
        let submission = Submission {
            kernel: info,
            interpreter: None,
            arguments,
            entry: self.entry(info),
            extent: self.extent,
            stream: self.stream.as_ref(),
            shared_bytes: self.shared_bytes,
        };
        // SAFETY: the arguments and the entry are those of the kernel, by the contract of `Kernel`.
        unsafe { submission.enqueue(device, before) }
    }

    /// The entry to run.
    #[inline]
    fn entry(&self, info: &KernelInfo) -> usize {
        submission::entry(info, self.kernel.entry(), self.extent, || self.kernel.elements())
    }
}

/// Launches a kernel and waits for it. Tells its own fault, and none of another launch.
pub fn run<K: Kernel>(launch: Launch<K>, device: &Device) -> Result<()> {
    match launch.enqueue(device, |_| Ok(()))? {
        Some(launched) => submission::wait(device, launched),
        None => Ok(()),
    }
}

impl Device {
    /// Loads a kernel, which its first launch does otherwise: `device.load::<Saxpy>()?`. On a GPU the driver
    /// assembles it, or has its machine code from an earlier process. Several threads load kernels at the same
    /// time.
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
    /// # Errors
    /// Errors of loading the kernel, and [`Error::TooLarge`](crate::Error::TooLarge) if the device
    /// cannot hold a block.
    pub fn resident_blocks<K: Kernel>(&self, kernel: &K, shared_bytes: usize) -> Result<u32> {
        let shared_bytes = u32::try_from(shared_bytes).unwrap_or(u32::MAX);
        let queue = self.state().default_stream().queue();
        let (info, entry) = (K::info(), kernel.entry());
        // Launches of a number of blocks do not use coarsened entries.
        let is_coarsened = info.entries.get(entry).is_some_and(|entry| entry.coarsening != 1);
        let entry = if is_coarsened { info.entries.len() - 1 } else { entry };
        let blocks = queue.resident_blocks(info, entry, shared_bytes)?;
        Ok(u32::try_from(blocks).unwrap_or(u32::MAX))
    }
}

impl<K: Kernel> fmt::Debug for Launch<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Launch of `{}`, {:?}", K::info().name, self.extent)
    }
}
