//! Options of pipelines and of calls.

use std::sync::Arc;
use std::time::Duration;

use vyre_core::ir::{Handle, Program};
use vyre_core::over_device::over_device;

use super::Pipeline;
use super::call::Call;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::programs::compiled::Compiled;
use crate::programs::given::GivenProgram;
use crate::programs::options::{OptionSet, Options};

/// Options of a pipeline, by [`Device::compile_configured`], and of a call, by [`Call::config`]. What a call leaves open is
/// that of its pipeline.
///
/// Each function of mathematics has one implementation, whose error its documentation states;
/// [`ulp_budget`](Config::ulp_budget), and the set of options `fast_math` of [`profile`](Config::profile), trade that for speed.
///
/// ```
/// # #[cfg(feature = "programs")]
/// # fn main() -> vyre_runtime::Result<()> {
/// # use std::time::Duration;
/// use vyre_core::{build, ir::Program};
/// use vyre_runtime::{Config, Device};
///
/// let mut program = Program::default();
/// build::kernel(&mut program, "count", &[32], build::slice_mut::<u32>("y"), |k, y| {
///     let i = k.linear_index();
///     k.if_(i.lt(y.len()), || y.set(i, i.cast::<u32>()));
/// });
/// let usual = Config::new().timeout(Duration::from_secs(10)).block([128, 1, 1]);
/// let pipeline = Device::cpu().compile_configured(&program, &usual)?;
/// let config = Config::new().label("first pass").max_output_bytes(1 << 20);
/// let outputs = pipeline.call().zeroed(4).over(4).config(&config).run()?;
/// assert_eq!(outputs.get("y").unwrap().values::<u32>().unwrap(), [0, 1, 2, 3]);
/// let error = pipeline.call().zeroed(1 << 20).over(4).config(&config).run().unwrap_err();
/// assert!(error.to_string().contains("`count (first pass)` has 4194304 bytes of outputs"));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "programs"))]
/// # fn main() {}
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    label: Option<String>,
    profile: Option<String>,
    ulp_budget: Option<u32>,
    timeout: Option<Duration>,
    max_output_bytes: Option<u64>,
    block: Option<[u32; 3]>,
    grid: Option<[u32; 3]>,
}

impl Config {
    /// No option is set.
    pub fn new() -> Config {
        Config::default()
    }

    /// A name of the call, which stands behind that of the kernel in errors.
    pub fn label(mut self, label: impl Into<String>) -> Config {
        self.label = Some(label.into());
        self
    }

    /// A named set of options of the compiler. The program is lowered again for each.
    ///
    /// - `release`: the usual one.
    /// - `profiling`: its PTX has line tables for debuggers and profilers.
    /// - `contract`: products fuse with sums ([`vyre_core::contract`](fn@vyre_core::contract)). The bits are others
    ///   than those of `release`, and the same on all devices.
    /// - `fast_math`: the same, and approximations in place of divisions, square roots and functions of mathematics
    ///   ([`vyre_core::fast::fast_math`]). The last bits differ from device to device.
    pub fn profile(mut self, name: impl Into<String>) -> Config {
        self.profile = Some(name.into());
        self
    }

    /// Approximations in place of quotients, square roots and functions of mathematics of `f32`, as far as the stated error
    /// of each is at most so many units in the last place for all arguments ([`vyre_core::fast::Bound`]). The error of a
    /// result that several operations make may be larger. All else keeps its bits, and without a budget all does. With the
    /// set of options `fast_math` it excludes the approximations above it.
    ///
    /// On the CPU the accurate functions stand for the approximations, so its results are within the same bounds.
    ///
    /// ```
    /// # #[cfg(feature = "programs")]
    /// # fn main() -> vyre_runtime::Result<()> {
    /// use vyre_core::{build, ir::Program};
    /// use vyre_runtime::{Config, Device};
    ///
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "roots", &[32], build::slice_mut::<f32>("y"), |k, y| {
    ///     let i = k.linear_index();
    ///     k.if_(i.lt(y.len()), || y.set(i, i.cast::<f32>().sqrt()));
    /// });
    /// let config = Config::new().ulp_budget(3); // that of `fast::sqrt`
    /// let pipeline = Device::best()?.compile_configured(&program, &config)?;
    /// let outputs = pipeline.call().zeroed(10).over(10).run()?;
    /// let roots: Vec<f32> = outputs.get("y").unwrap().values().unwrap();
    /// assert!((roots[9] - 3.0).abs() <= 3.0 * 2f32.powi(-22));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "programs"))]
    /// # fn main() {}
    /// ```
    pub fn ulp_budget(mut self, ulps: u32) -> Config {
        self.ulp_budget = Some(ulps);
        self
    }

    /// The time after which a call stops to wait, and returns [`Error::Timeout`]: of `run` and its like, and of the
    /// [`Pending`](crate::Pending) of [`start`](Call::start), whether it is waited for or awaited. It begins when the call is
    /// queued. What does not wait has none: `launch`, `run_resident`, and calls that are recorded in sequences.
    ///
    /// If the kernel waits for other threads in loops or at barriers of the grid, is running, and nothing was launched on the
    /// stream after it, these threads leave, as after a fault: what the kernel may have written then answers each download
    /// with this error. Any other kernel goes on, and its fault is told by the next wait for the stream. The memory that the
    /// work uses is kept until it is over. On the CPU a call runs before it is waited for, so that it is never late.
    pub fn timeout(mut self, limit: Duration) -> Config {
        self.timeout = Some(limit);
        self
    }

    /// The most bytes of outputs, in sum, that a call may have. It is checked before anything runs.
    pub fn max_output_bytes(mut self, bytes: u64) -> Config {
        self.max_output_bytes = Some(bytes);
        self
    }

    /// The threads of a block along x, y and z, in place of those of the program, which is lowered again. A program that
    /// was [trusted](Device::compile_trusted) keeps its own.
    pub fn block(mut self, threads: [u32; 3]) -> Config {
        self.block = Some(threads);
        self
    }

    /// The blocks along x, y and z, in place of the extent of a call.
    pub fn grid(mut self, blocks: [u32; 3]) -> Config {
        self.grid = Some(blocks);
        self
    }

    /// The options set here, and else those of another one.
    pub(super) fn over(&self, other: &Config) -> Config {
        Config {
            label: self.label.clone().or_else(|| other.label.clone()),
            profile: self.profile.clone().or_else(|| other.profile.clone()),
            ulp_budget: self.ulp_budget.or(other.ulp_budget),
            timeout: self.timeout.or(other.timeout),
            max_output_bytes: self.max_output_bytes.or(other.max_output_bytes),
            block: self.block.or(other.block),
            grid: self.grid.or(other.grid),
        }
    }

    pub(super) fn options(&self) -> Result<Options> {
        let set = self.profile.as_deref().map(OptionSet::of).transpose()?;
        Ok(Options {
            set: set.unwrap_or_default(),
            ulp_budget: self.ulp_budget,
        })
    }

    /// A result of the call: errors get the label.
    pub(super) fn labelled<T>(&self, result: Result<T>) -> Result<T> {
        match &self.label {
            None => result,
            Some(label) => result.map_err(|error| error.of_call(label)),
        }
    }

    pub(super) fn get_timeout(&self) -> Option<Duration> {
        self.timeout
    }

    pub(super) fn get_max_output_bytes(&self) -> Option<u64> {
        self.max_output_bytes
    }

    pub(super) fn get_grid(&self) -> Option<[u32; 3]> {
        self.grid
    }
}

impl Device {
    /// As [`compile`](Device::compile), with options.
    ///
    /// ```
    /// use vyre_core::{build, ir::Program};
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "one", &[32], build::slice_mut::<f32>("y"), |k, y| y.set(k.linear_index(), 1.0));
    /// let config = vyre_runtime::Config::new().label("ones");
    /// let pipeline = vyre_runtime::Device::cpu().compile_configured(&program, &config)?;
    /// let outputs = pipeline.call().zeroed(32).over(32).run()?;
    /// assert_eq!(outputs.get("y").and_then(|y| y.values()), Some(vec![1.0f32; 32]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`compile`](Device::compile); [`Error::UnknownName`] for a set of options that there is not.
    pub fn compile_configured<'p>(&self, program: impl Into<GivenProgram<'p>>, config: &Config) -> Result<Pipeline> {
        let (program, config) = (program.into(), Arc::new(config.clone()));
        match config.block {
            None => self.checked_pipeline(&program, config),
            Some(block) => self.checked_pipeline(&with_block(&program, block).into(), config),
        }
    }
}

impl Pipeline {
    /// The program that a call with these options runs; `None` for what was compiled already.
    ///
    /// The kernel of the number `on_device` reads its extent on the device.
    pub(super) fn variant(&self, config: &Config, on_device: Option<usize>) -> Result<Option<Arc<Compiled>>> {
        let (options, compiled) = (config.options()?, &self.compiled);
        let block = config.block.filter(|block| Some(*block) != self.config.block);
        if block.is_none() && on_device.is_none() && options == compiled.options {
            return Ok(None);
        }
        // Its unchecked operations were vouched for with its own block alone.
        if block.is_some() && !compiled.unchecked.is_empty() {
            return Err(Error::UncheckedProgram {
                operations: compiled.unchecked.clone(),
            });
        }
        let mut program = GivenProgram::from(&compiled.source);
        if let Some(block) = block {
            program = with_block(&program, block).into();
        }
        if let Some(kernel) = on_device {
            let mut changed = (*program).clone();
            let refused = over_device(&mut changed, Handle::new(kernel));
            refused.map_err(|refusal| Error::InvalidProgram {
                errors: vec![format!(
                    "`{}` cannot read its extent on the device: {refusal}",
                    compiled.kernels[kernel].description().name
                )],
            })?;
            program = changed.into();
        }
        Ok(Some(self.device.compiled(&program, options)?))
    }
}

/// The program with other blocks.
fn with_block(program: &Program, block: [u32; 3]) -> Program {
    let mut program = program.clone();
    for kernel in program.kernels.handles() {
        program.kernels[kernel].block = block;
    }
    program
}

impl<'c> Call<'c> {
    /// Options of this call.
    ///
    /// ```
    /// # #[cfg(feature = "programs")]
    /// # fn main() -> vyre_runtime::Result<()> {
    /// use vyre_core::{build, ir::Program};
    /// use vyre_runtime::{Config, Device};
    ///
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "count", &[32], build::slice_mut::<u32>("y"), |k, y| {
    ///     let i = k.linear_index();
    ///     k.if_(i.lt(y.len()), || y.set(i, i.cast::<u32>()));
    /// });
    /// let pipeline = Device::cpu().compile(&program)?;
    /// let wide = Config::new().block([256, 1, 1]);
    /// let outputs = pipeline.call().zeroed(4).over(4).config(&wide).run()?;
    /// assert_eq!(outputs.get("y").unwrap().values::<u32>().unwrap(), [0, 1, 2, 3]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "programs"))]
    /// # fn main() {}
    /// ```
    pub fn config(mut self, config: &Config) -> Call<'c> {
        self.configure(config.over(self.configured()));
        self
    }
}
