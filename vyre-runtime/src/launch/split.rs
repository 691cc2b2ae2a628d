//! Launches of a kernel in parts, cut at its barriers of the grid.

use vyre_core::ir::Handle;
use vyre_core::text;

use super::Launch;
use super::arguments::Arguments;
use super::kernel::Kernel;
use super::submission::{Launched, Submission};
use crate::DeviceBuffer;
use crate::backend::Extent;
use crate::device::Device;
use crate::device::stream::{Stream, StreamState};
use crate::error::{Error, Result};
use crate::memory::view::RawView;
use crate::programs::options::Options;
use crate::programs::split::Parts;

/// A launch of all parts.
pub(crate) struct SplitLaunch<'a> {
    pub(crate) parts: &'a Parts,
    pub(crate) extent: Extent,
    /// `None` for the default one.
    pub(crate) stream: Option<&'a Stream>,
    pub(crate) shared_bytes: u32,
}

/// The memory that lasts from part to part: buffers, and the numbers of their elements.
pub(crate) struct Memory {
    stream: &'static StreamState,
    buffers: Vec<(DeviceBuffer<u8>, u64)>,
}

impl Memory {
    pub(crate) fn views(&self) -> Vec<RawView<'_>> {
        let views = self.buffers.iter().map(|(buffer, length)| RawView {
            length: *length,
            ..*buffer.as_view().raw()
        });
        views.collect()
    }
}

impl SplitLaunch<'_> {
    /// Checks the launch, loads all parts, and makes what lasts from part to part; it is freed in the order of the
    /// stream. `None` stands for an empty domain.
    pub(crate) fn memory(&self, device: &Device, mut arguments: Arguments<'_>) -> Result<Option<Memory>> {
        let (state, kernels) = (device.state(), self.parts.kernels());
        let Some(first) = kernels.first() else { return Ok(None) };
        let Some(stream) = self.submission(0, &mut arguments).check(device)? else {
            return Ok(None);
        };
        let backend = state.backend();
        let grid = self.extent.grid(first.description(), 1, backend.limits())?;
        for part in kernels {
            backend.load(part.description())?;
        }
        let extents = grid.iter().chain(&first.description().block);
        let threads = extents.fold(1u64, |threads, &extent| threads.saturating_mul(extent.into()));
        let mut buffers = Vec::new();
        for (number, size) in self.parts.kept().enumerate() {
            let length = if number == 0 { kernels.len() as u64 - 1 } else { threads };
            let bytes = usize::try_from(length.saturating_mul(size)).unwrap_or(usize::MAX);
            buffers.push((DeviceBuffer::<u8>::allocate(state, stream, bytes, true)?, length));
        }
        Ok(Some(Memory { stream, buffers }))
    }

    /// Queues the parts, one after the other, with views of their memory behind the arguments of the kernel. Calls `before`
    /// once the stream follows what must come first.
    ///
    /// # Safety
    /// The arguments are those of the kernel, and of its program. The views are those of the memory.
    pub(crate) unsafe fn enqueue<'b>(
        &self,
        device: &Device,
        arguments: impl Fn() -> Arguments<'b>,
        (memory, views): (&'b Memory, &'b [RawView<'b>]),
        before: impl FnOnce(&'static StreamState) -> Result<()>,
    ) -> Result<Option<Launched>> {
        let (mut before, mut numbers) = (Some(before), Vec::new());
        for number in 0..self.parts.kernels().len() {
            let mut arguments = arguments();
            views.iter().for_each(|view| arguments.push(view, true));
            let before = before.take();
            let before = |stream| before.map_or(Ok(()), |before| before(stream));
            // SAFETY: each part takes the arguments of the kernel and those views, and has one entry.
            let queued = unsafe { self.submission(number, &mut arguments).enqueue(device, before)? };
            numbers.extend(queued.map(|queued| queued.number));
        }
        Ok(numbers.pop().map(|number| Launched {
            stream: memory.stream,
            number,
            earlier: numbers,
        }))
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
        }
    }
}

impl<K: Kernel> Launch<K> {
    /// As [`Launch::enqueue`], in parts.
    #[cold]
    pub(super) fn enqueue_split(
        &self,
        device: &Device,
        before: impl FnOnce(&'static StreamState) -> Result<()>,
    ) -> Result<Option<Launched>> {
        let info = K::info();
        self.kernel.check()?;
        let cache = device.state().programs();
        let parts = cache.split(info, || {
            let program = text::parse(info.program).map_err(|error| Error::InvalidProgram {
                errors: vec![format!("`{}` cannot be split: {error}", info.name)],
            })?;
            let compile = |parts: &_| cache.get(parts, Options::default(), device.ptx_limits(), || Ok(()));
            Parts::new(device, &program, Handle::new(0), compile).map(Into::into)
        })?;
        let launch = SplitLaunch {
            parts: &parts,
            extent: self.extent,
            stream: self.stream.as_ref(),
            shared_bytes: self.shared_bytes,
        };
        let arguments = || {
            let mut arguments = Arguments::new();
            self.kernel.arguments(&mut arguments);
            arguments
        };
        let Some(memory) = launch.memory(device, arguments())? else {
            return Ok(None);
        };
        // SAFETY: the arguments are those of the kernel, by the contract of `Kernel`, and its program is embedded.
        unsafe { launch.enqueue(device, arguments, (&memory, &memory.views()), before) }
    }
}
