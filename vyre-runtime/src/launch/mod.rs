//! Launches: a kernel, its arguments and its extent.

pub(crate) mod arguments;
pub(crate) mod constant;
pub(crate) mod kernel;
pub(crate) mod timing;

use std::fmt;

use self::arguments::Arguments;
use self::kernel::Kernel;
use crate::backend::{Extent, Launching, Writes};
use crate::device::Device;
use crate::device::stream::{Stream, StreamState};
use crate::error::{Error, Result};
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
    /// Those that are known before the kernel runs: arguments of another device
    /// ([`Error::WrongDevice`]), a grid without blocks ([`Error::EmptyGrid`]) or along axes that the
    /// kernel does not use ([`Error::WrongDimensions`]) or without whole clusters ([`Error::BrokenClusters`]), more than the device
    /// can launch ([`Error::TooLarge`]), lengths that differ ([`Error::LengthMismatch`]), a kernel
    /// that cannot be loaded ([`Error::PtxRejected`], [`Error::Unsupported`]), errors of the driver.
    /// A fault that the kernel reports while it runs comes out of the next wait, as [`Error::Fault`], and
    /// out of each download of what the kernel may have written.
    pub fn launch(self, device: &Device) -> Result<()> {
        self.enqueue(device, |_| Ok(())).map(drop)
    }

    /// Queues the kernel. Returns its stream and the number of the launch, or `None` for an empty domain. Calls
    /// `before` once the stream follows what must come first.
    fn enqueue(
        self,
        device: &Device,
        before: impl FnOnce(&'static StreamState) -> Result<()>,
    ) -> Result<Option<(&'static StreamState, u64)>> {
        let info = K::info();
        self.kernel.check()?;
        let state = device.state();
        let stream = match &self.stream {
            None => state.default_stream(),
            Some(stream) if stream.device() == *device => stream.state(),
            Some(stream) => return Err(wrong_device(info, "the stream", &stream.device(), device)),
        };
        let mut arguments = Arguments::new();
        self.kernel.arguments(&mut arguments);
        for argument in arguments.uses() {
            if argument.allocation.device_id() != state.id() {
                let parameter = info
                    .parameters
                    .get(argument.parameter)
                    .copied()
                    .unwrap_or("an argument");
                return Err(wrong_device(info, parameter, &argument.allocation.device(), device));
            }
        }
        match self.extent {
            Extent::Over(domain) if domain.contains(&0) => return Ok(None),
            Extent::Grid(grid) if grid.contains(&0) => {
                return Err(Error::EmptyGrid {
                    kernel: info.name.into(),
                    grid,
                });
            }
            _ => {}
        }
        // Kept until the driver, or the CPU, has read them.
        let set = state.constants().of(info.constants);
        for (constant, set) in info.constants.iter().zip(&set) {
            arguments.parameters_mut().push(match set {
                Some(set) => set.pointer(),
                None => constant.initial.as_ptr().cast(),
            });
        }
        for argument in arguments.uses_mut() {
            argument.ticket = argument.allocation.begin(stream, argument.writes)?;
        }
        let entry = self.entry(info);
        before(stream)?;
        let (parameters, uses) = arguments.parts();
        let writes = || -> Writes {
            let written = uses.iter().filter(|argument| argument.writes);
            written.map(|argument| argument.allocation.id()).collect()
        };
        // SAFETY: the arguments and the entry are those of the kernel, by the contract of `Kernel`,
        // and the stream follows all conflicting work on their memory.
        let number = unsafe {
            stream.queue().launch(Launching {
                kernel: info,
                entry,
                extent: self.extent,
                shared_bytes: self.shared_bytes,
                parameters,
                writes: &writes,
                clock: state.clock(),
            })?
        };
        stream.launches().add(1);
        for argument in arguments.uses() {
            argument.allocation.end(stream, argument.writes, argument.ticket);
        }
        Ok(Some((stream, number)))
    }

    /// The entry to run. Threads of a coarsened one may cover indices past the last block of a domain, so it takes
    /// launches over all elements only; the last entry covers single indices and accepts any arguments.
    fn entry(&self, info: &KernelInfo) -> usize {
        let last = info.entries.len().saturating_sub(1);
        let chosen = self.kernel.entry().min(last);
        if info.entries.get(chosen).is_none_or(|entry| entry.coarsening == 1) {
            return chosen;
        }
        match (self.extent, self.kernel.elements()) {
            (Extent::Over([x, ..]), Some(elements)) if x >= elements as u64 => chosen,
            _ => last,
        }
    }
}

/// Launches a kernel and waits for it. Tells its own fault, and none of another launch.
pub fn run<K: Kernel>(launch: Launch<K>, device: &Device) -> Result<()> {
    let Some((stream, number)) = launch.enqueue(device, |_| Ok(()))? else {
        return Ok(());
    };
    stream.queue().wait()?;
    stream.collect(device.state())?;
    device.state().faults().tell_launch(number)
}

impl Device {
    /// Loads a kernel, which its first launch does otherwise: `device.load::<Saxpy>()?`. On a GPU the driver
    /// assembles it, or has its machine code from an earlier process. Several threads load kernels at the same
    /// time.
    ///
    /// # Errors
    /// [`Error::PtxRejected`], [`Error::Unsupported`] if the device is too old for the kernel,
    /// [`Error::TooLarge`] if its blocks are too large for the device, [`Error::OutOfMemory`], or an error of
    /// the driver.
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

#[cold]
fn wrong_device(info: &KernelInfo, parameter: &'static str, belongs: &Device, wanted: &Device) -> Error {
    Error::WrongDevice {
        kernel: info.name.into(),
        parameter: parameter.into(),
        belongs: belongs.to_string().into(),
        wanted: wanted.to_string().into(),
    }
}

impl<K: Kernel> fmt::Debug for Launch<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Launch of `{}`, {:?}", K::info().name, self.extent)
    }
}
