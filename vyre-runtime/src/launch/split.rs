//! Launches of a kernel in parts, cut at its barriers of the grid.

use std::sync::Arc;

use vyre_core::ir::{Handle, Program};
use vyre_core::split::Keeper;
use vyre_core::text;

use super::Erased;
use super::arguments::Arguments;
use super::kernel::Kernel;
use super::submission::{Launched, Submission};
use crate::DeviceBuffer;
use crate::backend::Extent;
use crate::device::stream::{Stream, StreamState};
use crate::device::{Device, DeviceState};
use crate::error::{Error, Result};
use crate::load::kernel::KernelInfo;
use crate::memory::transfer;
use crate::memory::view::RawView;
use crate::programs::options::Options;
use crate::programs::split::Parts;

/// A launch of all parts.
pub(crate) struct SplitLaunch<'a> {
    pub(crate) parts: &'a Parts,
    pub(crate) extent: Extent,
    /// `None` for the default one.
    pub(crate) stream: Option<&'a Stream>,
    pub(crate) shared_bytes: u64,
}

/// Makes the arguments of a kernel, for each part anew.
pub(crate) trait Source {
    fn arguments(&self) -> Arguments<'_>;
}

impl Source for &dyn Kernel {
    fn arguments(&self) -> Arguments<'_> {
        let mut arguments = Arguments::new();
        Kernel::arguments(*self, &mut arguments);
        arguments
    }
}

/// The rounds of all parts that are queued before the host looks whether the kernel has ended: they grow up to this number.
const ROUNDS: usize = 64;

/// The numbers of threads that have come to each barrier: a row for each launch.
struct Cells {
    buffer: DeviceBuffer<u64>,
    width: usize,
}

impl Cells {
    /// Zeros, but for the first row.
    fn new(device: &'static DeviceState, stream: &'static StreamState, rows: usize, first: &[u64]) -> Result<Cells> {
        let width = first.len();
        let mut buffer = DeviceBuffer::allocate(device, stream, rows * width, true)?;
        if first.iter().any(|&count| count != 0) {
            buffer.slice_mut(..width)?.write(first)?;
        }
        Ok(Cells { buffer, width })
    }

    /// The row of a launch, when it is over, or the fault of one that is.
    fn row(&self, launch: usize) -> Result<Vec<u64>> {
        let mut row = vec![0; self.width];
        let view = self.buffer.slice(launch * self.width..(launch + 1) * self.width)?;
        transfer::download_own(view.raw(), &mut row)?;
        Ok(row)
    }
}

impl SplitLaunch<'_> {
    /// Checks the launch, loads all parts, and queues them, one after the other. Calls `before` once the stream follows what
    /// must come first. For a barrier in a loop or branch it waits for launches, calls `wait` with them before that, and
    /// queues more until the kernel has ended. `None` stands for an empty domain.
    ///
    /// Generic in nothing, as every launch of a kernel would have it compiled for that kernel.
    ///
    /// # Safety
    /// The arguments are those of the kernel, and of its program, each time that they are made.
    pub(crate) unsafe fn enqueue(
        &self,
        device: &Device,
        source: &dyn Source,
        before: &mut dyn FnMut(&'static StreamState) -> Result<()>,
        wait: &dyn Fn(&Launched) -> Result<()>,
    ) -> Result<Option<Launched>> {
        let (state, kernels) = (device.state(), self.parts.kernels());
        let Some(first) = kernels.first() else { return Ok(None) };
        let Some(stream) = self.submission(0, &mut source.arguments()).check(device)? else {
            return Ok(None);
        };
        let grid = self.extent.grid(first.description(), 1, state.backend().limits())?;
        for part in kernels {
            state.backend().load(part.description())?;
        }
        let product = |extents: [u32; 3]| {
            extents
                .iter()
                .fold(1u64, |all, &extent| all.saturating_mul(extent.into()))
        };
        let blocks = product(grid);
        let threads = blocks.saturating_mul(product(first.description().block));
        let kept = self.keep(state, stream, blocks, threads)?;
        let views = kept.iter().map(|(buffer, length)| RawView {
            length: *length,
            ..*buffer.as_view().raw()
        });
        let views: Vec<_> = views.collect();

        let barriers = self.parts.barriers();
        let rounds = if self.parts.is_repeated { ROUNDS } else { 1 };
        let mut row = vec![0; barriers];
        let mut launched = Launched {
            stream,
            number: 0,
            earlier: Vec::new(),
        };
        let mut queue = |part: usize, cells: &Cells, launch: u64| {
            let (cells, mut arguments) = (cells.buffer.as_view(), source.arguments());
            arguments.value(&launch);
            arguments.push(cells.raw(), true);
            views.iter().for_each(|view| arguments.push(view, true));
            // SAFETY: each part takes the arguments of the kernel and those, and has one entry.
            let queued = unsafe { self.submission(part, &mut arguments).enqueue(device, &mut *before)? };
            Ok::<_, Error>(queued.map(|queued| queued.number))
        };
        let mut grown = 1;
        loop {
            let cells = Cells::new(state, stream, 1 + rounds * barriers, &row)?;
            let mut launches = 0;
            if launched.earlier.is_empty() {
                launched.earlier.extend(queue(0, &cells, 0)?);
            }
            for _ in 0..grown {
                for part in 1..kernels.len() {
                    launches += 1;
                    launched.earlier.extend(queue(part, &cells, launches as u64)?);
                }
            }
            if !self.parts.is_repeated {
                break;
            }
            launched.number = launched.earlier.last().copied().unwrap_or(0);
            wait(&launched)?;
            row = cells.row(launches)?;
            if !row.contains(&threads) {
                break;
            }
            grown = rounds.min(2 * grown);
        }
        if let Some(barrier) = row.iter().position(|&count| count != 0) {
            return Err(self.parts.fault(barrier));
        }
        Ok(launched.earlier.pop().map(|number| Launched { number, ..launched }))
    }

    /// The memory of what is kept over the barriers, and the numbers of elements. It is freed in the order of the stream.
    fn keep(
        &self,
        device: &'static DeviceState,
        stream: &'static StreamState,
        blocks: u64,
        threads: u64,
    ) -> Result<Vec<(DeviceBuffer<u8>, u64)>> {
        let buffers = self.parts.kept().map(|(size, keeper)| {
            let length = match keeper {
                Keeper::Threads => threads,
                Keeper::Blocks => blocks,
            };
            let bytes = usize::try_from(length.saturating_mul(size)).unwrap_or(usize::MAX);
            Ok((DeviceBuffer::allocate(device, stream, bytes, true)?, length))
        });
        buffers.collect()
    }

    fn submission<'a, 'b>(&'a self, number: usize, arguments: &'a mut Arguments<'b>) -> Submission<'a, 'b> {
        let part = &self.parts.kernels()[number];
        Submission {
            kernel: part.description(),
            interpreter: Some(part.interpreter()),
            arguments,
            entry: 0,
            extent: self.extent,
            stream: self.stream,
            shared_bytes: self.shared_bytes,
            captured: false,
        }
    }
}

impl Erased<'_> {
    /// As `enqueue`, in parts.
    #[cold]
    pub(super) fn enqueue_split(
        &self,
        device: &Device,
        before: &mut dyn FnMut(&'static StreamState) -> Result<()>,
    ) -> Result<Option<Launched>> {
        self.checked_arguments()?;
        let parts = parts(self.info, device)?;
        let launch = SplitLaunch {
            parts: &parts,
            extent: self.extent,
            stream: self.stream,
            shared_bytes: self.shared_bytes,
        };
        // SAFETY: the arguments are those of the kernel, by the contract of `Kernel`, and its program is embedded.
        unsafe { launch.enqueue(device, &self.kernel, before, &|_| Ok(())) }
    }
}

/// The parts of a kernel, compiled for the device.
fn parts(info: &'static KernelInfo, device: &Device) -> Result<Arc<Parts>> {
    let cache = device.state().programs();
    cache.split(info, || {
        let program = text::parse(info.program).map_err(|error| Error::InvalidProgram {
            errors: vec![format!("`{}` cannot be split: {error}", info.name)],
        })?;
        let compile = |parts: Program| cache.get(&parts.into(), Options::default(), device.ptx_limits(), || Ok(()));
        Parts::new(device, &program, Handle::new(0), compile).map(Into::into)
    })
}
