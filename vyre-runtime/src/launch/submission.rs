//! A launch whose arguments are gathered: the part that is the same for all kernels.

use super::arguments::{Arguments, Use};
use crate::backend::{Extent, Interpreter, Launching, Parameters, Writes};
use crate::device::constants::Value;
use crate::device::stream::{Stream, StreamState};
use crate::device::{Device, DeviceState};
use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;
use crate::memory::gate::Gates;
use crate::trace::span;

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

/// A launch that was queued.
pub(crate) struct Launched {
    pub(crate) stream: &'static StreamState,
    pub(crate) number: u64,
    /// The numbers of its earlier parts, if it is in parts.
    pub(crate) earlier: Vec<u64>,
}

impl Launched {
    /// Tells the fault of the launch, whose stream has come so far, and none of another launch.
    pub(crate) fn tell(&self, state: &DeviceState) -> Result<()> {
        self.stream.collect(state)?;
        let mut numbers = self.earlier.iter().chain([&self.number]);
        numbers.try_for_each(|&number| state.faults().tell_launch(number))
    }
}

impl Submission<'_, '_> {
    /// The stream. Refuses arguments of another device and an empty grid; `None` stands for an empty domain.
    #[inline(always)]
    pub(crate) fn check(&self, device: &Device) -> Result<Option<&'static StreamState>> {
        let (kernel, state) = (self.kernel, device.state());
        let stream = match self.stream {
            None => state.default_stream(),
            Some(stream) if stream.device() == *device => stream.state(),
            Some(stream) => return Err(wrong_device(kernel, "the stream", &stream.device(), device)),
        };
        for argument in self.arguments.uses() {
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
        match self.extent {
            Extent::Over(domain) if domain.contains(&0) => Ok(None),
            Extent::Grid(grid) if grid.contains(&0) => Err(Error::EmptyGrid {
                kernel: kernel.name.to_owned().into(),
                grid,
            }),
            _ => Ok(Some(stream)),
        }
    }

    /// True if the device runs all blocks at the same time.
    pub(crate) fn fits(&self, device: &Device) -> Result<bool> {
        let Some(stream) = self.check(device)? else {
            return Ok(true);
        };
        // The CPU covers one index per thread, whatever the entry does.
        let entry = self.kernel.entries.get(self.entry).filter(|_| device.is_cuda());
        let coarsening = entry.map_or(1, |entry| entry.coarsening);
        let limits = device.state().backend().limits();
        let grid = self.extent.grid(self.kernel, coarsening, limits)?;
        let blocks: u64 = grid.iter().map(|&extent| u64::from(extent)).product();
        let resident = stream
            .queue()
            .resident_blocks(self.kernel, self.entry, self.shared_bytes)?;
        Ok(blocks <= resident)
    }

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
        let Some(stream) = self.check(device)? else {
            return Ok(None);
        };
        let state = device.state();
        let Submission {
            kernel,
            arguments,
            extent,
            ..
        } = self;
        let _span = span!("launch", kernel = kernel.name);
        // Kept until the driver, or the CPU, has read them.
        let _set = push_constants(state, kernel, arguments.parameters_mut());
        let mut is_recorded = false;
        for argument in arguments.uses_mut() {
            argument.ticket = argument.allocation.begin(stream, argument.writes)?;
            is_recorded |= argument.ticket.is_recorded();
        }
        let _gates = match is_recorded {
            false => None,
            true => Some(begin_inside(arguments.uses_mut(), stream)?),
        };
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
        Ok(Some(Launched {
            stream,
            number,
            earlier: Vec::new(),
        }))
    }
}

/// Takes the gates of those arguments that recordings hold, and then orders the stream.
#[cold]
#[inline(never)]
fn begin_inside<'a>(uses: &mut [Use<'a>], stream: &'static StreamState) -> Result<Box<Gates<'a>>> {
    let gates = Gates::shared(uses.iter().map(|argument| argument.allocation));
    for argument in uses.iter_mut().filter(|argument| argument.ticket.is_recorded()) {
        argument.ticket = argument.allocation.begin_inside(stream, argument.writes)?;
    }
    // On the heap, so that launches without any have no room for them.
    Ok(Box::new(gates))
}

/// Pushes the values that a kernel's constants have now. The result keeps them.
#[inline]
pub(crate) fn push_constants(
    state: &DeviceState,
    kernel: &KernelDescription<'_>,
    parameters: &mut Parameters,
) -> Vec<Option<Value>> {
    let set = state.constants().of(kernel.constants);
    for (constant, set) in kernel.constants.iter().zip(&set) {
        parameters.push(match set {
            Some(set) => set.pointer(),
            None => constant.initial.as_ptr().cast(),
        });
    }
    set
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
pub(crate) fn wait(device: &Device, launched: &Launched) -> Result<()> {
    launched.stream.queue().wait()?;
    launched.tell(device.state())
}

/// The answer to `split` where it cannot be done.
#[cold]
pub(crate) fn no_split(kernel: &KernelDescription<'_>, device: &Device, reason: &str) -> Error {
    Error::Unsupported {
        feature: format!("`split` of `{}`: {reason}", kernel.name),
        device: device.to_string(),
    }
}

/// Refuses an extent on the device that has not one number for each axis of the kernel.
#[cfg(feature = "programs")]
pub(crate) fn checked_axes(dimensions: u32, length: usize) -> Result<()> {
    let extent = ("the extent on the device", length);
    crate::memory::transfer::same_length(extent, ("the axes of the kernel", dimensions as usize))
}

#[cold]
pub(crate) fn wrong_device(
    kernel: &KernelDescription<'_>,
    parameter: &str,
    belongs: &Device,
    wanted: &Device,
) -> Error {
    Error::WrongDevice {
        kernel: kernel.name.to_owned().into(),
        parameter: parameter.to_owned().into(),
        belongs: belongs.to_string().into(),
        wanted: wanted.to_string().into(),
    }
}
