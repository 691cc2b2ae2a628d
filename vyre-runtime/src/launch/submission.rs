//! A launch whose arguments are gathered: the part that is the same for all kernels.

use super::arguments::Arguments;
use crate::backend::{Extent, Interpreter, Launching, Writes};
use crate::device::Device;
use crate::device::stream::{Stream, StreamState};
use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;

/// A launch that is ready to be checked and queued.
pub(crate) struct Submission<'a, 'b> {
    pub(crate) kernel: &'a KernelDescription<'a>,
    /// Runs it on the CPU, if it has no body for the CPU.
    pub(crate) interpreter: Option<&'a dyn Interpreter>,
    /// By reference, for they are more than a kilobyte.
    pub(crate) arguments: &'a mut Arguments<'b>,
    pub(crate) entry: usize,
    pub(crate) extent: Extent,
    /// `None` for the default one.
    pub(crate) stream: Option<&'a Stream>,
    pub(crate) shared_bytes: u32,
}

/// A launch that was queued: its stream and its number.
pub(crate) type Launched = (&'static StreamState, u64);

impl Submission<'_, '_> {
    /// Queues the kernel. `None` stands for an empty domain. Calls `before` once the stream follows what must come
    /// first.
    ///
    /// # Safety
    /// The arguments are those of the kernel and of the interpreter, and the predicate of the entry holds for them.
    #[inline]
    pub(crate) unsafe fn enqueue(
        self,
        device: &Device,
        before: impl FnOnce(&'static StreamState) -> Result<()>,
    ) -> Result<Option<Launched>> {
        let Submission {
            kernel,
            arguments,
            extent,
            ..
        } = self;
        let state = device.state();
        let stream = match self.stream {
            None => state.default_stream(),
            Some(stream) if stream.device() == *device => stream.state(),
            Some(stream) => return Err(wrong_device(kernel, "the stream", &stream.device(), device)),
        };
        for argument in arguments.uses() {
            if argument.allocation.device_id() != state.id() {
                let parameter = kernel.parameters.get(argument.parameter);
                let belongs = argument.allocation.device();
                return Err(wrong_device(
                    kernel,
                    parameter.copied().unwrap_or("an argument"),
                    &belongs,
                    device,
                ));
            }
        }
        match extent {
            Extent::Over(domain) if domain.contains(&0) => return Ok(None),
            Extent::Grid(grid) if grid.contains(&0) => {
                return Err(Error::EmptyGrid {
                    kernel: kernel.name.to_owned().into(),
                    grid,
                });
            }
            _ => {}
        }
        // Kept until the driver, or the CPU, has read them.
        let set = state.constants().of(kernel.constants);
        for (constant, set) in kernel.constants.iter().zip(&set) {
            arguments.parameters_mut().push(match set {
                Some(set) => set.pointer(),
                None => constant.initial.as_ptr().cast(),
            });
        }
        for argument in arguments.uses_mut() {
            argument.ticket = argument.allocation.begin(stream, argument.writes)?;
        }
        before(stream)?;
        let (parameters, uses) = arguments.parts();
        let writes = || -> Writes {
            let written = uses.iter().filter(|argument| argument.writes);
            written.map(|argument| argument.allocation.id()).collect()
        };
        // SAFETY: the arguments and the entry are those of the kernel, by the contract, and the stream follows all
        // conflicting work on their memory.
        let number = unsafe {
            stream.queue().launch(Launching {
                kernel,
                interpreter: self.interpreter,
                entry: self.entry,
                extent,
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
}

/// The entry to run in place of `chosen`. Threads of a coarsened one may cover indices past the last block of a domain,
/// so it takes launches over all elements only; the last entry covers single indices and accepts any arguments.
#[inline]
pub(crate) fn entry(
    kernel: &KernelDescription<'_>,
    chosen: usize,
    extent: Extent,
    elements: impl FnOnce() -> Option<usize>,
) -> usize {
    let last = kernel.entries.len().saturating_sub(1);
    let chosen = chosen.min(last);
    if kernel.entries.get(chosen).is_none_or(|entry| entry.coarsening == 1) {
        return chosen;
    }
    match (extent, elements()) {
        (Extent::Over([x, ..]), Some(elements)) if x >= elements as u64 => chosen,
        _ => last,
    }
}

/// Waits for a launch. Tells its own fault, and none of another launch.
pub(crate) fn wait(device: &Device, (stream, number): Launched) -> Result<()> {
    stream.queue().wait()?;
    stream.collect(device.state())?;
    device.state().faults().tell_launch(number)
}

#[cold]
fn wrong_device(kernel: &KernelDescription<'_>, parameter: &str, belongs: &Device, wanted: &Device) -> Error {
    Error::WrongDevice {
        kernel: kernel.name.to_owned().into(),
        parameter: parameter.to_owned().into(),
        belongs: belongs.to_string().into(),
        wanted: wanted.to_string().into(),
    }
}
