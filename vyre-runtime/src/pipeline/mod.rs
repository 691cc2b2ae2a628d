//! Pipelines: programs that are made while a program runs, compiled once and called on bytes.
//!
//! - `argument` and `domain` are what a call takes; `bind` holds it against the parameters of the kernel.
//! - `call` runs a kernel, and `start` does not wait for it; `batch` are several calls, and
//!   `together` runs them; `outputs` is what they have written.
//! - `config` are options of pipelines and of calls; `deadline` is what becomes of a call that takes too long.
//! - `manifest` is a record of a pipeline.

pub(crate) mod argument;
pub(crate) mod batch;
mod bind;
pub(crate) mod call;
pub(crate) mod config;
mod deadline;
pub(crate) mod domain;
pub(crate) mod manifest;
pub(crate) mod outputs;
mod prepared;
mod ready;
mod start;
mod together;

use std::fmt;
use std::sync::Arc;

use vyre_core::ir::{Constant, Program};
use vyre_core::{externals, text};

use self::argument::Argument;
use self::batch::Batch;
use self::call::Call;
use self::config::Config;
use self::domain::Domain;
use self::manifest::Manifest;
use self::outputs::Outputs;
use crate::Element;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::programs::compiled::Compiled;
use crate::programs::given::GivenProgram;
use crate::programs::options::Options;
use crate::stats::CacheAudit;

/// A program that is ready to run on a device.
///
/// [`Device::compile`] makes one. Cheap to clone; it can be called from several threads.
#[derive(Clone)]
pub struct Pipeline {
    device: Device,
    compiled: Arc<Compiled>,
    config: Arc<Config>,
}

/// A type of which all bit patterns are values, so that bytes that a program computes can be seen as it.
///
/// # Safety
/// All bit patterns of the type's size are values of it.
pub unsafe trait Plain: Element {}

macro_rules! plain {
    ($($type:ty)*) => {
        // SAFETY: all bit patterns are numbers.
        $(unsafe impl Plain for $type {})*
    };
}

plain!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

// SAFETY: all bit patterns are numbers.
#[cfg(feature = "half")]
unsafe impl Plain for half::f16 {}
// SAFETY: all bit patterns are numbers.
#[cfg(feature = "half")]
unsafe impl Plain for half::bf16 {}

// SAFETY: an array has no bits but those of its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Counts of a device's cache of compiled programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PipelineCache {
    /// Calls of [`Device::compile`] and its like that found the program compiled, or waited for a thread that compiled
    /// it.
    pub hits: u64,
    /// Calls that compiled, or tried to.
    pub misses: u64,
    /// Programs that are kept.
    pub entries: usize,
}

impl PipelineCache {
    /// How well the cache serves.
    ///
    /// ```
    /// use vyre_core::{build, ir::Program};
    ///
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "one", &[32], build::slice_mut::<f32>("y"), |k, y| y.set(k.linear_index(), 1.0));
    /// let device = vyre_runtime::Device::cpu();
    /// device.compile(&program)?; // a miss
    /// for _ in 0..9 {
    ///     device.compile(&program)?;
    /// }
    /// assert!(!device.pipeline_cache().audit().is_below(0.9));
    /// # Ok(())
    /// # }
    /// ```
    pub fn audit(&self) -> CacheAudit {
        let mut audit = CacheAudit::default();
        (audit.hits, audit.misses) = (self.hits, self.misses);
        audit
    }
}

impl Device {
    /// Makes a program ready to run on this device: checks it and, for a GPU, compiles it to PTX. The driver assembles
    /// the PTX of a kernel before its first launch, or at [`Pipeline::prepare`]. On the CPU the reference interpreter
    /// runs it.
    ///
    /// The device keeps what it has compiled, by a digest of the program. Of several threads that ask for one program,
    /// the first compiles it and the others wait.
    ///
    /// ```
    /// use vyre_core::build::{self, slice, slice_mut, value};
    /// use vyre_core::ir::Program;
    /// use vyre_runtime::Device;
    ///
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let mut program = Program::default();
    /// let parameters = (value::<f32>("a"), slice::<f32>("x"), slice_mut::<f32>("y"));
    /// build::kernel(&mut program, "scale", &[256], parameters, |k, (a, x, y)| {
    ///     let i = k.linear_index();
    ///     k.if_(i.lt(y.len()), || y.set(i, a * x.at(i)));
    /// });
    ///
    /// let pipeline = Device::best()?.compile(&program)?;
    /// let x: Vec<u8> = [1.0f32, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    /// let outputs = pipeline.call().value(2.0f32).bytes(&x).zeroed(3).over(3).run()?;
    /// assert_eq!(outputs.get("y").and_then(|y| y.values()), Some(vec![2.0f32, 4.0, 6.0]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidProgram`] with all errors of a program that is not valid, that has constants without a value, or
    /// that is too large to be compiled; [`Error::Unsupported`] with the operations that the device lacks;
    /// [`Error::UncheckedProgram`] for a program with unchecked accesses or inline PTX, which only
    /// [`compile_trusted`](Device::compile_trusted) takes.
    pub fn compile<'p>(&self, program: impl Into<GivenProgram<'p>>) -> Result<Pipeline> {
        self.checked_pipeline(&program.into(), Arc::default())
    }

    fn checked_pipeline(&self, program: &GivenProgram<'_>, config: Arc<Config>) -> Result<Pipeline> {
        let pipeline = self.pipeline(program, config)?;
        match &pipeline.compiled.unchecked[..] {
            [] => Ok(pipeline),
            operations => Err(Error::UncheckedProgram {
                operations: operations.to_vec(),
            }),
        }
    }

    /// As [`compile`](Device::compile), for programs with operations that nobody checks, such as those that are embedded
    /// in the launchers of a crate. [`unchecked`](mod@vyre_core::unchecked) lists them.
    ///
    /// ```
    /// use vyre_core::{build, ir::Program};
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "one", &[32], build::slice_mut::<f32>("y"), |k, y| y.set(k.linear_index(), 1.0));
    /// // SAFETY: the program has no unchecked access and no PTX.
    /// let pipeline = unsafe { vyre_runtime::Device::cpu().compile_trusted(&program)? };
    /// assert_eq!(pipeline.kernels().collect::<Vec<_>>(), ["one"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// For all arguments that calls will pass, the unchecked accesses of the program stay within the arguments, and
    /// inline PTX does what [`StmtKind::Ptx`](vyre_core::ir::StmtKind) asks for.
    ///
    /// # Errors
    /// As [`compile`](Device::compile), but for [`Error::UncheckedProgram`].
    pub unsafe fn compile_trusted<'p>(&self, program: impl Into<GivenProgram<'p>>) -> Result<Pipeline> {
        self.pipeline(&program.into(), Arc::default())
    }

    /// As [`compile`](Device::compile), with values for the program's run-time constants, its
    /// [`External`](vyre_core::ir::External)s, by their names. The compiler sees them as numbers in the source: trip
    /// counts, divisors and conditions are known. Each set of values is a pipeline of its own.
    ///
    /// An integer may be given in any integer type that holds it.
    ///
    /// ```
    /// use vyre_core::{build, ir::Program};
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let mut program = Program::default();
    /// let value = build::external::<u32>(&mut program, "VALUE");
    /// build::kernel(&mut program, "fill", &[32], build::slice_mut::<u32>("y"), |k, y| {
    ///     y.set(k.linear_index(), k.external(value));
    /// });
    /// let pipeline = vyre_runtime::Device::cpu().compile_with(&program, &[("VALUE", 7)])?;
    /// let outputs = pipeline.call().zeroed(32).over(32).run()?;
    /// assert_eq!(outputs.get("y").and_then(|y| y.values()), Some(vec![7u32; 32]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`compile`](Device::compile), and [`Error::InvalidProgram`] for a name that the program does not have, or a
    /// value that is not one of the constant's type.
    pub fn compile_with<'p, C: Into<Constant> + Copy>(
        &self,
        program: impl Into<GivenProgram<'p>>,
        constants: &[(&str, C)],
    ) -> Result<Pipeline> {
        let mut program = (*program.into()).clone();
        for &(name, value) in constants {
            externals::give(&mut program, name, value.into()).map_err(|error| Error::InvalidProgram {
                errors: vec![error.to_string()],
            })?;
        }
        self.compile(program)
    }

    /// Compiles a program of one kernel and runs it: the same, bit for bit, as a call of its pipeline.
    ///
    /// ```
    /// use vyre_core::{build, ir::Program};
    /// use vyre_runtime::{Argument, Device};
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "one", &[32], build::slice_mut::<f32>("y"), |k, y| y.set(k.linear_index(), 1.0));
    /// let outputs = Device::cpu().dispatch(&program, [Argument::zeroed(32)], 32)?;
    /// assert_eq!(outputs.get("y").and_then(|y| y.values()), Some(vec![1.0f32; 32]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`compile`](Device::compile) and of [`Call::run`].
    pub fn dispatch<'p, 'c>(
        &self,
        program: impl Into<GivenProgram<'p>>,
        arguments: impl IntoIterator<Item = Argument<'c>>,
        over: impl Domain,
    ) -> Result<Outputs> {
        let pipeline = self.compile(program)?;
        let mut call = pipeline.call().over(over);
        for argument in arguments {
            call = call.argument(argument);
        }
        call.run()
    }

    /// Counts of the cache of compiled programs.
    ///
    /// ```
    /// use vyre_core::{build, ir::Program};
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "one", &[32], build::slice_mut::<f32>("y"), |k, y| y.set(k.linear_index(), 1.0));
    /// let device = vyre_runtime::Device::cpu();
    /// device.compile(&program)?; // a miss
    /// device.compile(&program)?;
    /// let cache = device.pipeline_cache();
    /// assert_eq!((cache.hits, cache.misses, cache.entries), (1, 1, 1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn pipeline_cache(&self) -> PipelineCache {
        let (hits, misses, entries) = self.state().programs().counts();
        PipelineCache { hits, misses, entries }
    }

    /// Keeps at most so many compiled programs, 256 unless told otherwise. Those that were not asked for longest go
    /// first; pipelines that somebody has stay usable. A GPU is waited for when the kernels of a program are unloaded.
    ///
    /// ```
    /// use vyre_core::{build, ir::Program};
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "one", &[32], build::slice_mut::<f32>("y"), |k, y| y.set(k.linear_index(), 1.0));
    /// let device = vyre_runtime::Device::cpu();
    /// device.compile(&program)?;
    /// device.keep_pipelines(0);
    /// assert_eq!(device.pipeline_cache().entries, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn keep_pipelines(&self, count: usize) {
        self.state().programs().limit(count);
    }

    fn pipeline(&self, program: &GivenProgram<'_>, config: Arc<Config>) -> Result<Pipeline> {
        let compiled = self.compiled(program, config.options()?)?;
        Ok(Pipeline {
            device: self.clone(),
            compiled,
            config,
        })
    }

    fn compiled(&self, program: &GivenProgram<'_>, options: Options) -> Result<Arc<Compiled>> {
        let check = || match self.is_cuda() {
            true => self.check_support(program),
            false => Ok(()),
        };
        self.state().programs().get(program, options, self.ptx_limits(), check)
    }

    /// Refuses a program with operations that the device lacks.
    fn check_support(&self, program: &Program) -> Result<()> {
        // Errors of the program are told by the compiler, and constants without values need no support.
        let Err(lacking) = self.supports(program) else {
            return Ok(());
        };
        let lacking = lacking.iter().filter(|operation| !operation.is_invalid());
        let features: Vec<String> = lacking.map(ToString::to_string).collect();
        match features.is_empty() {
            true => Ok(()),
            false => Err(Error::unsupported(&features.join("; "), self)),
        }
    }
}

impl Pipeline {
    /// The device that it runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Its id: back end, target, and digest of the program with its constants, as `cuda:sm_70:` and 32 hexadecimal
    /// digits. The same program has the same id in every process.
    pub fn id(&self) -> String {
        let (backend, target) = (self.backend(), self.target());
        let target = target.as_deref().unwrap_or("interpreter");
        format!("{backend}:{target}:{:032x}", self.compiled.digest)
    }

    fn backend(&self) -> &'static str {
        match self.device.is_cuda() {
            true => "cuda",
            false => "cpu",
        }
    }

    fn target(&self) -> Option<String> {
        self.compiled.needs.map(|needs| format!("sm_{}", needs.target))
    }

    /// The names of the kernels, in the order of the program.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.compiled.kernels.iter().map(|kernel| kernel.description().name)
    }

    /// The program, as it was given.
    pub fn program(&self) -> &Program {
        &self.compiled.source
    }

    /// Loads all kernels, which their first launches do otherwise, and runs nothing.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub fn prepare(&self) -> Result<()> {
        let backend = self.device.state().backend();
        let mut kernels = self.compiled.kernels.iter();
        kernels.try_for_each(|kernel| backend.load(kernel.description()))
    }

    /// A record from which the pipeline can be built again.
    pub fn manifest(&self) -> Manifest {
        Manifest {
            schema: Manifest::SCHEMA.to_owned(),
            pipeline: self.id(),
            backend: self.backend().to_owned(),
            version: self.device.version().runtime.to_string(),
            profile: self.compiled.options.set.name().to_owned(),
            ulp_budget: self.compiled.options.ulp_budget,
            program_digest: format!("{:032x}", self.compiled.digest),
            target: self.target(),
            ptx_version: self.compiled.needs.map(|needs| needs.version),
            kernels: self.kernels().map(str::to_owned).collect(),
            program: text::print(self.program()),
        }
    }

    /// A call, without arguments and extent yet.
    pub fn call(&self) -> Call<'_> {
        Call::new(self)
    }

    /// Calls that are queued one after the other and waited for together: once, with all copies from and to the host.
    pub fn batch<'c>(&'c self, calls: impl IntoIterator<Item = Call<'c>>) -> Batch<'c> {
        Batch {
            calls: calls.into_iter().collect(),
        }
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pipeline {} on {}", self.id(), self.device)
    }
}
