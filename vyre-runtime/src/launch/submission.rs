//! A launch whose arguments are gathered: the part that is the same for all kernels.

use super::arguments::{Arguments, Use};
use crate::backend::{Extent, Interpreter, Launching, Parameters};
use crate::device::constants::Value;
use crate::device::stream::{Stream, StreamState};
use crate::device::{Device, DeviceState};
use crate::error::{CaptureProblem, Error, Result};
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
    pub(crate) shared_bytes: u64,
    /// True if it may go into a graph that somebody else captures.
    pub(crate) captured: bool,
}

/// A launch that was queued, which may be one of the parts of a kernel.
pub(crate) struct Queued {
    pub(crate) stream: &'static StreamState,
    pub(crate) number: u64,
}

/// A launch that was queued, with all of its parts.
pub(crate) struct Launched {
    pub(crate) stream: &'static StreamState,
    pub(crate) number: u64,
    /// The numbers of its earlier parts, if it is in parts.
    pub(crate) earlier: Vec<u64>,
}

impl From<Queued> for Launched {
    fn from(Queued { stream, number }: Queued) -> Launched {
        Launched {
            stream,
            number,
            earlier: Vec::new(),
        }
    }
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
    pub(crate) fn check(&self, device: &Device) -> Result<Option<&'static StreamState>> {
        let stream = self.stream(device)?;
        self.check_arguments(device)?;
        Ok((!self.is_empty()?).then_some(stream))
    }

    /// The stream, which must be one of the device.
    #[inline]
    fn stream(&self, device: &Device) -> Result<&'static StreamState> {
        match self.stream {
            None => Ok(device.default_state()),
            Some(stream) if stream.device() == *device => Ok(stream.state()),
            Some(stream) => Err(Error::wrong_device(
                self.kernel.name,
                "the stream",
                &stream.device(),
                device,
            )),
        }
    }

    /// Refuses arguments of another device.
    #[cold]
    fn check_arguments(&self, device: &Device) -> Result<()> {
        let foreign = |argument: &&Use<'_>| argument.allocation.device() != *device;
        let Some(argument) = self.arguments.uses().iter().find(foreign) else {
            return Ok(());
        };
        let parameter = self.kernel.parameters.get(argument.parameter).copied();
        let belongs = argument.allocation.device();
        Err(Error::wrong_device(
            self.kernel.name,
            parameter.unwrap_or("an argument"),
            &belongs,
            device,
        ))
    }

    /// True for an empty domain. Refuses an empty grid.
    #[inline]
    fn is_empty(&self) -> Result<bool> {
        match self.extent {
            Extent::Over([x, y, z]) => Ok(x == 0 || y == 0 || z == 0),
            Extent::Grid(grid) if grid.contains(&0) => Err(Error::EmptyGrid {
                kernel: self.kernel.name.to_owned().into(),
                grid,
            }),
            Extent::Grid(_) => Ok(false),
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
    ) -> Result<Option<Queued>> {
        let stream = self.stream(device)?;
        if self.captured && stream.queue().is_captured()? {
            // SAFETY: the contract is the same.
            return unsafe { self.enqueue_captured(device, stream) };
        }
        // The common case. A stream notes its uses of memory of its own device, so there is nothing to refuse, and nothing
        // to order.
        let is_noted = self.arguments.are_noted(stream);
        if !is_noted {
            self.check_arguments(device)?;
        }
        if self.is_empty()? {
            return Ok(None);
        }
        let state = device.state();
        let Submission { kernel, arguments, .. } = self;
        let _span = span!("launch", kernel = kernel.name);
        // Kept until the driver, or the CPU, has read them.
        let _set;
        if !kernel.constants.is_empty() {
            _set = push_constants(state, kernel, arguments.parameters_mut());
        }
        let _gates;
        if !is_noted {
            _gates = begin(arguments.uses_mut(), stream)?;
        }
        before(stream)?;
        let (parameters, writes) = arguments.parts();
        // SAFETY: the arguments and the entry are those of the kernel, by the contract, and the stream follows all
        // conflicting work on their memory.
        let number = unsafe {
            stream.queue().launch(Launching {
                kernel,
                interpreter: self.interpreter,
                entry: self.entry,
                extent: self.extent,
                shared_bytes: self.shared_bytes,
                parameters,
                writes,
                captured: false,
                clock: state.clock(),
            })?
        };
        if !arguments.are_noted(stream) {
            end(arguments.uses(), stream);
        }
        Ok(Some(Queued { stream, number }))
    }
}

impl Submission<'_, '_> {
    /// Adds the kernel to the graph that somebody captures from the stream. Nothing is waited for, noted or reported: the
    /// caller of [`Launch::captured`](crate::Launch::captured) vouches for what the graph does.
    ///
    /// # Safety
    /// As for [`enqueue`](Submission::enqueue).
    #[cold]
    unsafe fn enqueue_captured(self, device: &Device, stream: &'static StreamState) -> Result<Option<Queued>> {
        self.check_arguments(device)?;
        if self.is_empty()? {
            return Ok(None);
        }
        let Submission { kernel, arguments, .. } = self;
        let refused = |problem| {
            Err(Error::StreamCaptured {
                device: device.to_string(),
                problem: Box::new(problem),
            })
        };
        let name = || kernel.name.to_owned().into();
        if !kernel.sites.is_empty() || !kernel.prints.is_empty() || kernel.cooperative {
            return refused(CaptureProblem::Reports { kernel: name() });
        }
        let uses = arguments.uses().iter();
        let mut late = uses.filter(|argument| !argument.allocation.is_ordered(stream, argument.writes));
        if let Some(argument) = late.next() {
            let parameter = kernel.parameters.get(argument.parameter).copied();
            return refused(CaptureProblem::Order {
                kernel: name(),
                parameter: parameter.unwrap_or("an argument").to_owned().into(),
            });
        }
        let state = device.state();
        // The driver copies them.
        let _set = match kernel.constants {
            [] => Vec::new(),
            _ => push_constants(state, kernel, arguments.parameters_mut()),
        };
        let (parameters, _) = arguments.parts();
        // SAFETY: the arguments and the entry are those of the kernel, by the contract.
        let number = unsafe {
            stream.queue().launch(Launching {
                kernel,
                interpreter: self.interpreter,
                entry: self.entry,
                extent: self.extent,
                shared_bytes: self.shared_bytes,
                parameters,
                writes: &[],
                captured: true,
                clock: state.clock(),
            })?
        };
        Ok(Some(Queued { stream, number }))
    }
}

/// Makes the stream follow the uses that conflict with those of a launch. Returns the gates of those arguments that
/// recordings hold, if there are any: on the heap, so that launches without them have no room for them.
#[cold]
fn begin<'a>(uses: &mut [Use<'a>], stream: &'static StreamState) -> Result<Option<Box<Gates<'a>>>> {
    // Owners of memory make the stream wait for their own.
    stream.queue().check_uncaptured()?;
    let mut is_recorded = false;
    for argument in uses.iter_mut() {
        argument.ticket = argument.allocation.begin(stream, argument.writes)?;
        is_recorded |= argument.ticket.is_recorded();
    }
    if !is_recorded {
        return Ok(None);
    }
    let gates = Gates::shared(uses.iter().map(|argument| argument.allocation));
    for argument in uses.iter_mut().filter(|argument| argument.ticket.is_recorded()) {
        argument.ticket = argument.allocation.begin_inside(stream, argument.writes)?;
    }
    Ok(Some(Box::new(gates)))
}

/// Notes the uses of a launch that was queued.
#[cold]
fn end(uses: &[Use<'_>], stream: &'static StreamState) {
    for argument in uses {
        argument.allocation.end(stream, argument.writes, argument.ticket);
    }
}

/// Pushes the values that a kernel's constants have now. The result keeps them.
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
    Error::unsupported(&format!("`split` of `{}`: {reason}", kernel.name), device)
}

/// Refuses an extent on the device that has not one number for each axis of the kernel.
#[cfg(feature = "programs")]
pub(crate) fn checked_axes(dimensions: u32, length: usize) -> Result<()> {
    let extent = ("the extent on the device", length);
    crate::memory::transfer::same_length(extent, ("the axes of the kernel", dimensions as usize))
}
