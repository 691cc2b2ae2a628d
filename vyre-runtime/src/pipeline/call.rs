//! Calls: a kernel of a pipeline with its arguments and its extent.

use std::time::Instant;

use super::Pipeline;
use super::argument::Argument;
use super::bind::{Bound, bind};
use super::domain::Domain;
use super::outputs::Outputs;
use crate::backend::Extent;
use crate::device::stream::{Stream, StreamState};
use crate::error::{ArgumentProblem, Error, Result};
use crate::launch::arguments::Arguments;
use crate::launch::submission::{self, Launched, Submission};
use crate::launch::timing::Timing;
use crate::programs::compiled::CompiledKernel;
use crate::{DeviceBuffer, Element, Plain, View, ViewMut};
use vyre_core::ir::Constant;

/// A call of a [`Pipeline`]: arguments in the order of the parameters, and the extent of the launch.
///
/// Nothing is copied and nothing runs before one of the methods that run it, and these check all arguments first.
#[must_use = "nothing runs before `.run()` or `.launch()`"]
#[derive(Debug)]
pub struct Call<'c> {
    pipeline: &'c Pipeline,
    kernel: Option<&'c str>,
    arguments: Vec<Argument<'c>>,
    extent: Option<Extent>,
    stream: Option<&'c Stream>,
    shared_bytes: u32,
}

impl<'c> Call<'c> {
    pub(super) fn new(pipeline: &'c Pipeline) -> Call<'c> {
        Call {
            pipeline,
            kernel: None,
            arguments: Vec::new(),
            extent: None,
            stream: None,
            shared_bytes: 0,
        }
    }

    /// Chooses the kernel by its name. A program with one kernel needs no choice.
    pub fn kernel(mut self, name: &'c str) -> Call<'c> {
        self.kernel = Some(name);
        self
    }

    /// Adds an argument.
    pub fn argument(mut self, argument: Argument<'c>) -> Call<'c> {
        self.arguments.push(argument);
        self
    }

    /// Adds a scalar, of exactly the type of the parameter: `2.0f32`.
    pub fn value(self, value: impl Into<Constant>) -> Call<'c> {
        self.argument(Argument::value(value))
    }

    /// Adds the elements of a slice, or a struct, tuple or array, as bytes in the layout of C. A slice that the kernel
    /// writes becomes one of the outputs.
    pub fn bytes(self, bytes: &'c [u8]) -> Call<'c> {
        self.argument(Argument::bytes(bytes))
    }

    /// Adds a slice of this many elements of the parameter's type, all of whose bytes are zero. If the kernel writes
    /// it, it becomes one of the outputs.
    pub fn zeroed(self, length: usize) -> Call<'c> {
        self.argument(Argument::zeroed(length))
    }

    /// Adds a buffer, or a part of one, that the kernel reads: `&buffer`.
    pub fn resident<T: Element>(self, view: impl Into<View<'c, T>>) -> Call<'c> {
        self.argument(Argument::resident(view))
    }

    /// Adds a buffer, or a part of one, that the kernel may write: `&mut buffer`.
    pub fn resident_mut<T: Plain>(self, view: impl Into<ViewMut<'c, T>>) -> Call<'c> {
        self.argument(Argument::resident_mut(view))
    }

    /// Covers a domain with whole blocks of the kernel's shape: `n`, `[width, height]` or `[width, height, depth]`.
    pub fn over(mut self, domain: impl Domain) -> Call<'c> {
        self.extent = Some(Extent::Over(domain.extent()));
        self
    }

    /// Launches this number of blocks along x, y and z.
    pub fn grid(mut self, blocks: [u32; 3]) -> Call<'c> {
        self.extent = Some(Extent::Grid(blocks));
        self
    }

    /// Launches on this stream instead of the device's default.
    pub fn on(mut self, stream: &'c Stream) -> Call<'c> {
        self.stream = Some(stream);
        self
    }

    /// Gives each block `bytes` bytes of dynamic shared memory; 0 by default.
    pub fn shared_bytes(mut self, bytes: usize) -> Call<'c> {
        // No device has as much as the largest number, so the conversion saturates.
        self.shared_bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self
    }

    /// Runs the kernel, waits for it, and returns what it has written of the slices that came from the host.
    ///
    /// # Errors
    /// [`Error::Argument`] for an argument that does not fit its parameter, [`Error::WrongDevice`] for a buffer or
    /// stream of another device, [`Error::UnknownName`] or [`Error::NoKernelChosen`] for the
    /// kernel, [`Error::OutOfMemory`], and those of
    /// [`Launch::launch`](crate::Launch::launch): nothing has run then. [`Error::Fault`] if the kernel reports one, and
    /// [`Error::Stopped`] on the CPU.
    pub fn run(&mut self) -> Result<Outputs> {
        let mut outputs = Outputs::new();
        self.run_into(&mut outputs)?;
        Ok(outputs)
    }

    /// As [`run`](Call::run), into outputs whose memory is used again.
    ///
    /// # Errors
    /// As [`run`](Call::run). The contents of the outputs are then unspecified.
    pub fn run_into(&mut self, outputs: &mut Outputs) -> Result<()> {
        let ready = self.ready()?;
        outputs.reserve(ready.kernel, &ready.bound)?;
        let launched = ready.enqueue(|_| Ok(()))?;
        ready.finish(launched, outputs)
    }

    /// As [`run_into`](Call::run_into), and says how long it took: `enqueue` has the checks and the copies to the
    /// device, `wait` the rest of the kernel and the copies to the host. The kernel is loaded before the time of the
    /// device begins.
    ///
    /// # Errors
    /// As [`run`](Call::run).
    pub fn run_timed(&mut self, outputs: &mut Outputs) -> Result<Timing> {
        let device = &self.pipeline.device;
        let began = Instant::now();
        let ready = self.ready()?;
        outputs.reserve(ready.kernel, &ready.bound)?;
        let mut start = None;
        let launched = ready.enqueue(|stream| {
            device.state().backend().load(ready.kernel.description())?;
            start = Some(stream.queue().record()?);
            Ok(())
        })?;
        let end = launched.map(|(stream, _)| stream.queue().record()).transpose()?;
        let enqueue = began.elapsed();
        ready.finish(launched, outputs)?;
        let timing = Timing::between(began, enqueue, start.zip(end))?;
        timing.count(device);
        Ok(timing)
    }

    /// Queues the kernel and returns the buffers of what it writes of the slices that came from the host, in the order
    /// of their parameters, without a copy to the host: they are the input of later calls. Does not wait for a GPU. A
    /// fault comes out of the next wait, and out of each download of such a buffer.
    ///
    /// # Errors
    /// As [`run`](Call::run), but for faults.
    pub fn run_resident(&mut self) -> Result<Vec<DeviceBuffer<u8>>> {
        let ready = self.ready()?;
        ready.enqueue(|_| Ok(()))?;
        Ok(ready.bound.into_outputs(ready.kernel))
    }

    /// Queues the kernel. Does not wait for a GPU. All slices are buffers: what came from the host would be lost, so
    /// [`run_resident`](Call::run_resident) takes it. A fault comes out of the next wait, and out of each download of a
    /// buffer that the kernel may have written.
    ///
    /// # Errors
    /// As [`run`](Call::run), but for faults; [`Error::Argument`] for a slice that the kernel writes and that is no
    /// buffer.
    pub fn launch(&mut self) -> Result<()> {
        let kernel = self.chosen()?;
        for (number, (parameter, argument)) in kernel.parameters().iter().zip(&self.arguments).enumerate() {
            if kernel.writes(number) && !argument.is_resident() {
                return Err(self.problem(
                    parameter.name.clone(),
                    ArgumentProblem::Kind {
                        expected: "a buffer, since nobody would see what the kernel writes,".to_owned(),
                        given: argument.0.describe(),
                    },
                ));
            }
        }
        self.ready()?.enqueue(|_| Ok(())).map(drop)
    }

    /// The kernel of the call.
    fn chosen(&self) -> Result<&'c CompiledKernel> {
        let kernels = &self.pipeline.compiled.kernels;
        let names = || self.pipeline.kernels().map(str::to_owned).collect();
        match (self.kernel, &kernels[..]) {
            (None, [kernel]) => Ok(kernel),
            (None, _) => Err(Error::NoKernelChosen { kernels: names() }),
            (Some(name), _) => {
                let mut named = kernels.iter().filter(|kernel| kernel.description().name == name);
                named.next().ok_or_else(|| Error::UnknownName {
                    what: "kernel",
                    name: name.to_owned(),
                    known: names(),
                })
            }
        }
    }

    fn problem(&self, parameter: String, problem: ArgumentProblem) -> Error {
        let kernel = self.chosen().map_or("", |kernel| kernel.description().name);
        Error::Argument {
            kernel: kernel.to_owned().into(),
            parameter: parameter.into(),
            problem: Box::new(problem),
        }
    }

    /// Checks the arguments, and copies to the device what comes from the host.
    pub(super) fn ready(&self) -> Result<Ready<'_>> {
        let kernel = self.chosen()?;
        let Some(extent) = self.extent else {
            return Err(self.problem("the extent".to_owned(), ArgumentProblem::Missing));
        };
        Ok(Ready {
            pipeline: self.pipeline,
            kernel,
            bound: bind(&self.pipeline.device, kernel, &self.arguments)?,
            extent,
            stream: self.stream,
            shared_bytes: self.shared_bytes,
        })
    }
}

impl Argument<'_> {
    fn is_resident(&self) -> bool {
        matches!(self.0, super::argument::Given::Resident(_))
    }
}

/// A call whose arguments fit and are on the device.
pub(super) struct Ready<'c> {
    pipeline: &'c Pipeline,
    pub(super) kernel: &'c CompiledKernel,
    pub(super) bound: Bound<'c>,
    extent: Extent,
    stream: Option<&'c Stream>,
    shared_bytes: u32,
}

impl Ready<'_> {
    /// Queues the kernel.
    pub(super) fn enqueue(&self, before: impl FnOnce(&'static StreamState) -> Result<()>) -> Result<Option<Launched>> {
        let Ready { kernel, bound, .. } = self;
        let description = kernel.description();
        let chosen = kernel.entry(bound.known(kernel.parameters()))?;
        let views = bound.views();
        let mut arguments = Arguments::new();
        bound.push(kernel, &views, &mut arguments);
        let submission = Submission {
            kernel: description,
            interpreter: Some(kernel.interpreter()),
            arguments: &mut arguments,
            entry: submission::entry(description, chosen, self.extent, || bound.elements()),
            extent: self.extent,
            stream: self.stream,
            shared_bytes: self.shared_bytes,
        };
        // SAFETY: the arguments were held against the parameters, and the entry's predicate was evaluated for them.
        // Memory that the kernel may write is borrowed exclusively, or a buffer that nobody else has.
        unsafe { submission.enqueue(&self.pipeline.device, before) }
    }

    /// Waits for the launch, and reads what it has written.
    pub(super) fn finish(&self, launched: Option<Launched>, outputs: &mut Outputs) -> Result<()> {
        if let Some(launched) = launched {
            submission::wait(&self.pipeline.device, launched)?;
        }
        outputs.read(self.kernel, &self.bound)
    }
}
