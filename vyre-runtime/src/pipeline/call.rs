//! Calls: a kernel of a pipeline with its arguments and its extent.

use std::borrow::Cow;
use std::cell::Cell;
use std::slice;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use smallvec::SmallVec;

use super::Pipeline;
use super::argument::{Argument, Given};
use super::bind::{self, INLINE, Upload};
use super::config::Config;
use super::domain::Domain;
use super::outputs::Outputs;
use super::prepared::Prepared;
use super::ready::Ready;
use super::together;
use crate::backend::{Extent, Interpreter};
use crate::device::Device;
use crate::device::stream::Stream;
use crate::error::{ArgumentProblem, Error, Result};
use crate::interpret::signature::Kind;
use crate::launch::submission;
use crate::launch::timing::Timing;
use crate::load::kernel::KernelDescription;
use crate::memory::together::Uploads;
use crate::memory::transfer;
use crate::programs::compiled::{Compiled, CompiledKernel};
use crate::programs::split::Parts;
use crate::sequence::Sequence;
use crate::sequence::launch::{IN_SEQUENCE, Recordable, sealed::Sealed};
use crate::sequence::step::NodeKernel;
use crate::{DeviceBuffer, Element, Plain, View, ViewMut};
use vyre_core::ir::{Constant, Handle, Program};

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
    shared_bytes: u64,
    split: bool,
    config: Cow<'c, Config>,
    /// The extent that the kernel reads on the device.
    on_device: Option<Argument<'c>>,
    /// The program as it was compiled for the call, if it differs from that of the pipeline.
    variant: OnceLock<Option<Arc<Compiled>>>,
    /// Set by the first launch, and taken back by every change of what that depends on.
    prepared: Option<Prepared<'c>>,
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
            split: false,
            config: Cow::Borrowed(&pipeline.config),
            on_device: None,
            variant: OnceLock::new(),
            prepared: None,
        }
    }

    pub(super) fn configured(&self) -> &Config {
        &self.config
    }

    pub(super) fn configure(&mut self, config: Config) {
        self.config = Cow::Owned(config);
        self.changed();
    }

    /// Forgets what was found out for the call as it was.
    fn changed(&mut self) {
        self.variant = OnceLock::new();
        self.prepared = None;
    }

    /// The program for the options of the call.
    fn compiled(&self) -> Result<&Arc<Compiled>> {
        let compiled = &self.pipeline.compiled;
        if matches!(self.config, Cow::Borrowed(_)) && self.on_device.is_none() {
            return Ok(compiled);
        }
        let variant = match self.variant.get() {
            Some(variant) => variant,
            None => {
                let on_device = self.on_device.as_ref().map(|_| self.chosen_number());
                let variant = self.pipeline.variant(&self.config, on_device.transpose()?)?;
                self.variant.get_or_init(|| variant)
            }
        };
        Ok(variant.as_ref().unwrap_or(compiled))
    }

    /// Chooses the kernel by its name. A program with one kernel needs no choice.
    pub fn kernel(mut self, name: &'c str) -> Call<'c> {
        self.kernel = Some(name);
        self.changed();
        self
    }

    /// Adds an argument.
    pub fn argument(mut self, argument: Argument<'c>) -> Call<'c> {
        self.arguments.push(argument);
        self.prepared = None;
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
        self.prepared = None;
        self
    }

    /// Reads the extent when the kernel begins, from memory of the device: one `u32` for each axis of the kernel, as
    /// [`Launch::over_device`](crate::Launch::over_device) does. The call itself is over the largest extent. The program is
    /// compiled again, with one more parameter; a call of the result may be recorded like any other.
    ///
    /// ```
    /// # #[cfg(feature = "programs")]
    /// # fn main() -> vyre_runtime::Result<()> {
    /// use vyre_core::{build, ir::Program};
    /// use vyre_runtime::Device;
    ///
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "mark", &[32], build::slice_mut::<u32>("y"), |k, y| y.set(k.linear_index(), 1u32));
    /// let device = Device::cpu();
    /// let pipeline = device.compile(&program)?;
    /// let extent = device.upload(&[40u32])?;
    /// let outputs = pipeline.call().zeroed(96).over(96).over_device(&extent).run()?;
    /// let marked: u32 = outputs.get("y").unwrap().values::<u32>().unwrap().iter().sum();
    /// assert_eq!(marked, 64); // two blocks
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "programs"))]
    /// # fn main() {}
    /// ```
    pub fn over_device(mut self, extent: impl Into<View<'c, u32>>) -> Call<'c> {
        self.on_device = Some(Argument::resident(extent));
        self.changed();
        self
    }

    /// True if the device runs all blocks of the call at the same time; see [`Launch::fits`](crate::Launch::fits). Checks
    /// the arguments, and copies those of the host to the device.
    ///
    /// # Errors
    /// Those of [`run`](Call::run) that are known before the kernel runs.
    pub fn fits(&self) -> Result<bool> {
        let ready = self.ready()?;
        let fits = ready.submit(|submission, _| submission.fits(&self.pipeline.device));
        self.config.labelled(fits)
    }

    /// Launches this number of blocks along x, y and z.
    pub fn grid(mut self, blocks: [u32; 3]) -> Call<'c> {
        self.extent = Some(Extent::Grid(blocks));
        self.prepared = None;
        self
    }

    /// Launches on this stream instead of the device's default.
    pub fn on(mut self, stream: &'c Stream) -> Call<'c> {
        self.stream = Some(stream);
        self
    }

    /// Gives each block `bytes` bytes of dynamic shared memory; 0 by default.
    pub fn shared_bytes(mut self, bytes: usize) -> Call<'c> {
        self.shared_bytes = bytes as u64;
        self
    }

    /// Cuts the kernel at its barriers of the grid, if true, as [`Launch::split`](crate::Launch::split) does: the parts run
    /// one after the other, so the grid may have more blocks than the device runs at the same time. The program is cut and
    /// compiled again, once for all calls of the pipeline.
    ///
    /// ```
    /// # #[cfg(feature = "programs")]
    /// # fn main() -> vyre_runtime::Result<()> {
    /// use vyre_core::text;
    /// use vyre_runtime::{Device, Error};
    ///
    /// let program = text::parse(
    ///     "vyre 1
    ///     type &mut [u32]
    ///     kernel double(x: &mut [u32], y: &mut [u32]) dimensions 1 block 32 1 1 {
    ///         entry double {
    ///             store x[linear_index] = cast u32(linear_index)
    ///             grid_barrier
    ///             store y[linear_index] = x[sub(sub(length(x), 1u64), linear_index)]
    ///         }
    ///     }",
    /// )
    /// .unwrap();
    /// let pipeline = Device::cpu().compile(&program)?;
    /// let n = 32 * 100; // blocks of 32; the CPU allows 32 of them at once
    /// let call = || pipeline.call().zeroed(n).zeroed(n).over(n);
    /// assert!(matches!(call().run(), Err(Error::TooLarge { .. })));
    /// let outputs = call().split(true).run()?;
    /// assert_eq!(outputs.get("y").unwrap().values::<u32>().unwrap()[0], 3199);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "programs"))]
    /// # fn main() {}
    /// ```
    pub fn split(mut self, split: bool) -> Call<'c> {
        self.split = split;
        self.prepared = None;
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
        together::run(slice::from_ref(self), slice::from_mut(outputs))
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
            // Parts are loaded.
            if ready.parts.is_none() {
                device.state().backend().load(ready.kernel.description())?;
            }
            start = Some(stream.queue().record()?);
            Ok(())
        })?;
        let end = launched.as_ref().map(|launched| launched.stream.queue().record());
        let end = end.transpose()?;
        let enqueue = began.elapsed();
        ready.finish(launched, outputs)?;
        let timing = Timing::between(began, enqueue, start.as_deref().zip(end.as_deref()))?;
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
        if self.prepared.is_none() {
            self.config.labelled(self.check_outputs())?;
            self.prepared = self.config.labelled(self.prepare())?;
        }
        let Some(prepared) = &self.prepared else {
            return self.ready()?.enqueue(|_| Ok(())).map(drop);
        };
        let launched = self.compiled().and_then(|compiled| {
            let kernel = &compiled.kernels[prepared.kernel];
            prepared.launch(&self.pipeline.device, kernel, (self.stream, self.shared_bytes))
        });
        self.config.labelled(launched)
    }

    /// Checks the arguments for all launches of the call as it is; `None` if each launch copies some of them to the device,
    /// or is in parts.
    fn prepare(&self) -> Result<Option<Prepared<'c>>> {
        let number = self.chosen_number()?;
        let kernel = &self.compiled()?.kernels[number];
        let copies = |argument: &Argument<'_>| match argument.0 {
            Given::Value(_) | Given::Resident(_) => false,
            Given::Bytes(_) | Given::Zeroed(_) => true,
        };
        if self.arguments.iter().any(copies) || self.split && kernel.description().cooperative {
            return Ok(None);
        }
        self.try_check()?;
        let (extent, device) = (self.extent()?, self.pipeline.device.state());
        let arguments = self.all_arguments();
        let upload: Upload<'_, 'c> = &mut |bytes| transfer::upload(device, bytes);
        let bound = bind::bind(&self.pipeline.device, kernel, &arguments, upload)?;
        let chosen = kernel.entry(bound.known(kernel.parameters()))?;
        let entry = submission::entry(kernel.description(), chosen, extent, || bound.elements());
        Ok(Some(Prepared {
            kernel: number,
            bound,
            entry,
            extent,
        }))
    }

    /// Refuses arguments that the kernel writes and nobody would see.
    fn check_outputs(&self) -> Result<()> {
        let kernel = self.chosen()?;
        for (number, (parameter, argument)) in kernel.parameters().iter().zip(&self.arguments).enumerate() {
            if kernel.writes(number) && !argument.is_resident() {
                return Err(self.problem(
                    parameter.name.clone(),
                    ArgumentProblem::Kind {
                        expected: "a buffer, since nobody would see what the kernel writes".to_owned(),
                        given: argument.0.describe(),
                    },
                ));
            }
        }
        Ok(())
    }

    /// The kernel of the call.
    fn chosen(&self) -> Result<&CompiledKernel> {
        Ok(&self.compiled()?.kernels[self.chosen_number()?])
    }

    /// Its number in the program.
    fn chosen_number(&self) -> Result<usize> {
        let kernels = &self.pipeline.compiled.kernels;
        let names = || self.pipeline.kernels().map(str::to_owned).collect();
        match (self.kernel, &kernels[..]) {
            (None, [_]) => Ok(0),
            (None, _) => Err(Error::NoKernelChosen { kernels: names() }),
            (Some(name), _) => {
                let mut named = (0..kernels.len()).filter(|&number| kernels[number].description().name == name);
                let first = named.next().ok_or_else(|| Error::UnknownName {
                    what: "kernel",
                    name: name.to_owned(),
                    known: names(),
                })?;
                match named.count() {
                    0 => Ok(first),
                    others => Err(Error::AmbiguousName {
                        what: "kernel",
                        name: name.to_owned(),
                        count: others + 1,
                    }),
                }
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
        self.check()?;
        let device = self.pipeline.device.state();
        self.config
            .labelled(self.try_bind(&mut |bytes| transfer::upload(device, bytes)))
    }

    /// As [`ready`](Call::ready) of a call that was checked. The copies to the device are only queued, unless that is
    /// another one, or the call has a limit of time: they may come after it.
    pub(super) fn bind(&self, uploads: &mut Uploads<'c>) -> Result<Ready<'_>> {
        let device = self.pipeline.device.state();
        let waits = self.config.get_timeout().is_some() || device.id() != uploads.device().id();
        let upload: Upload<'_, 'c> = match waits {
            false => &mut |bytes| uploads.add(bytes),
            true => &mut |bytes| transfer::upload(device, bytes),
        };
        self.config.labelled(self.try_bind(upload))
    }

    /// The device that it runs on.
    pub(super) fn device(&self) -> &Device {
        &self.pipeline.device
    }

    fn extent(&self) -> Result<Extent> {
        let given = self.config.get_grid().map(Extent::Grid).or(self.extent);
        given.ok_or_else(|| self.problem("the extent".to_owned(), ArgumentProblem::Missing))
    }

    fn all_arguments(&self) -> SmallVec<[&Argument<'c>; INLINE]> {
        self.arguments.iter().chain(&self.on_device).collect()
    }

    /// Checks the arguments.
    pub(super) fn check(&self) -> Result<()> {
        self.config.labelled(self.try_check())
    }

    fn try_check(&self) -> Result<()> {
        let kernel = self.chosen()?;
        self.extent()?;
        if let Some(limit) = self.config.get_max_output_bytes() {
            let bytes = self.output_bytes(kernel);
            if bytes > limit {
                return Err(Error::OutputTooLarge {
                    kernel: kernel.description().name.to_owned().into(),
                    bytes,
                    limit,
                });
            }
        }
        if let Some(Argument(Given::Resident(extent))) = &self.on_device {
            submission::checked_axes(kernel.description().dimensions, extent.view.length as usize)?;
        }
        self.parts(kernel)?;
        bind::check(&self.pipeline.device, kernel, &self.all_arguments())
    }

    fn try_bind(&self, upload: Upload<'_, 'c>) -> Result<Ready<'_>> {
        let kernel = self.chosen()?;
        Ok(Ready {
            pipeline: self.pipeline,
            parts: self.parts(kernel)?,
            config: &self.config,
            kernel,
            bound: bind::bind(&self.pipeline.device, kernel, &self.all_arguments(), upload)?,
            began: Cell::new(None),
            extent: self.extent()?,
            stream: self.stream,
            shared_bytes: self.shared_bytes,
        })
    }

    /// The parts of the kernel, if it is to be cut. One without barriers of the grid is its own only part.
    fn parts(&self, kernel: &CompiledKernel) -> Result<Option<Arc<Parts>>> {
        if !self.split || !kernel.description().cooperative {
            return Ok(None);
        }
        let (device, compiled) = (&self.pipeline.device, self.compiled()?);
        let number = self.chosen_number()?;
        let parts = kernel.parts(|| {
            let compile = |parts: Program| device.compiled(&parts.into(), compiled.options);
            Parts::new(device, &compiled.source, Handle::new(number), compile)
        })?;
        Ok(Some(Arc::clone(parts)))
    }

    /// The bytes of all outputs, which saturate.
    fn output_bytes(&self, kernel: &CompiledKernel) -> u64 {
        let arguments = kernel.parameters().iter().zip(&self.arguments).enumerate();
        let written = arguments.filter(|(number, _)| kernel.writes(*number));
        let bytes = written.map(|(_, (parameter, argument))| match (&argument.0, parameter.kind) {
            (Given::Bytes(bytes), _) => bytes.len() as u64,
            (Given::Zeroed(length), Kind::Slice { element, .. }) => element.size.saturating_mul(*length as u64),
            _ => 0,
        });
        bytes.fold(0, u64::saturating_add)
    }
}

impl Sealed for Call<'_> {}

impl Recordable for Call<'_> {
    fn record(self, sequence: &mut Sequence) -> Result<()> {
        self.config.labelled(self.check_outputs())?;
        let device = sequence.device();
        if self.pipeline.device != device {
            let belongs = &self.pipeline.device;
            return Err(Error::wrong_device("the sequence", "the pipeline", belongs, &device));
        }
        let ready = self.ready()?;
        if ready.parts.is_some() {
            let refused = submission::no_split(ready.kernel.description(), &device, IN_SEQUENCE);
            return self.config.labelled(Err(refused));
        }
        let kept = KeptKernel {
            compiled: Arc::clone(self.compiled()?),
            number: self.chosen_number()?,
        };
        let recorded = ready.submit(|submission, views| {
            let parameters = ready.bound.parameters(views)?;
            // SAFETY: the arguments were held against the parameters, and the entry's predicate was evaluated for them.
            unsafe { sequence.record(submission, parameters, Box::new(kept)) }
        });
        self.config.labelled(recorded)
    }
}

/// A kernel of a pipeline that a sequence keeps.
struct KeptKernel {
    compiled: Arc<Compiled>,
    number: usize,
}

impl KeptKernel {
    fn kernel(&self) -> &CompiledKernel {
        &self.compiled.kernels[self.number]
    }
}

impl NodeKernel for KeptKernel {
    fn description(&self) -> &KernelDescription<'_> {
        self.kernel().description()
    }

    fn interpreter(&self) -> Option<&dyn Interpreter> {
        Some(self.kernel().interpreter())
    }
}
