//! A kernel with its arguments: expected results, and comparison with the actual ones.

use std::ops::Range;

use vyre_abi::fault::Fault;
use vyre_core::interp::{self, Argument};
use vyre_core::ir::{Among, AtomicOp, Handle, Kernel, Program, Scalar, Stmt, StmtKind, Type, TypeId};
use vyre_core::module::Module;
use vyre_core::reduce::reduce;
use vyre_core::requirements::requirements;
use vyre_core::validate::{Validated, validate};
use vyre_core::{CompileOptions, compile};

use crate::ptx_machine;
use crate::random_program::{Input, Random, RandomProgram};

/// Bytes of dynamic shared memory of every launch.
pub const SHARED_BYTES: u32 = 1000;

/// The options of tests: the graph is verified after every pass.
pub const VERIFIED: CompileOptions = CompileOptions {
    line_info: false,
    limits: None,
    target: 0,
    checked_only: false,
    deny_bounds_checks: false,
    deny_races: false,
    assume_launches: false,
    apart: Vec::new(),
    verify: true,
};

/// The result of a launch: the arguments after it, or a fault.
pub type Outcome = Result<Vec<Input>, Box<Fault>>;

/// A kernel with its arguments.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// The kernel.
    pub kernel: Handle<Kernel>,
    /// The blocks to launch.
    pub grid: [u32; 3],
    /// The arguments.
    pub inputs: Vec<Input>,
}

/// True if tests that are long by nature run at their full size: `VYRE_LONG` is set, as CI does.
pub fn is_long() -> bool {
    std::env::var_os("VYRE_LONG").is_some()
}

/// The seeds to test: those of `VYRE_SEEDS`, which is `from..to` or one number, or else `default`, or ten times as many if
/// tests are [long](is_long).
///
/// # Panics
/// If `VYRE_SEEDS` is something else.
pub fn seeds(default: Range<u64>) -> Range<u64> {
    let Ok(given) = std::env::var("VYRE_SEEDS") else {
        let count = (default.end - default.start) * if is_long() { 10 } else { 1 };
        return default.start..default.start + count;
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match given.split_once("..") {
        Some((from, to)) => number(from).zip(number(to)).map(|(from, to)| from..to),
        None => number(&given).map(|seed| seed..seed + 1),
    }
    .unwrap_or_else(|| panic!("VYRE_SEEDS is `{given}`, neither from..to nor a number"))
}

/// Runs a test of random kernels for each seed, on all cores, and adds up what the threads have counted.
///
/// # Panics
/// If a run does.
pub fn on_all_cores<T: Default + Send>(
    seeds: Range<u64>,
    run: impl Fn(u64, &mut T) + Copy + Send,
    add: impl Fn(&mut T, &T),
) -> T {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..threads)
            .map(|number| {
                let mine = seeds.clone().skip(number).step_by(threads);
                scope.spawn(move || {
                    let mut tally = T::default();
                    mine.for_each(|seed| run(seed, &mut tally));
                    tally
                })
            })
            .collect();
        let mut all = T::default();
        for run in runs {
            add(
                &mut all,
                &run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            );
        }
        all
    })
}

impl Case {
    /// A random program with random arguments.
    pub fn random(random: RandomProgram, seed: u64) -> Case {
        let inputs = random.inputs(&mut Random::new(seed));
        let RandomProgram { program, kernel, grid } = random;
        Case {
            program,
            kernel,
            grid,
            inputs,
        }
    }

    /// The same with another program.
    pub fn with(&self, program: Program) -> Case {
        let inputs = self.inputs.clone();
        Case {
            program,
            inputs,
            ..*self
        }
    }

    /// The smallest case found for which `fails` holds, as it does for this one.
    pub fn reduced(&self, mut fails: impl FnMut(&Case) -> bool) -> Case {
        self.with(reduce(&self.program, self.kernel, |program| {
            fails(&self.with(program.clone()))
        }))
    }

    /// The program, checked.
    ///
    /// # Panics
    /// If it is not valid.
    pub fn valid(&self) -> Validated<'_> {
        validate(&self.program).unwrap_or_else(|errors| {
            let errors: Vec<_> = errors
                .iter()
                .map(|error| error.display(&self.program).to_string())
                .collect();
            panic!("{errors:#?}\n{}", vyre_core::text::print(&self.program))
        })
    }

    /// The program, compiled.
    ///
    /// # Panics
    /// If it is not valid, or too large.
    pub fn compile(&self) -> Module {
        let valid = self.valid();
        let module = compile(&valid, &VERIFIED).unwrap_or_else(|error| panic!("{error}"));
        assert_required(&valid, &module);
        module
    }

    /// The entry that a launch takes.
    ///
    /// # Errors
    /// As [`interp::entry`].
    pub fn entry(&self) -> Result<usize, interp::Error> {
        let mut inputs = self.inputs.clone();
        interp::entry(&self.valid(), self.kernel, &mut arguments(&mut inputs))
    }

    /// Interprets an entry.
    ///
    /// # Errors
    /// The reason why it has no defined result, other than a fault.
    pub fn interpret(&self, entry: usize) -> Result<Outcome, interp::Error> {
        self.interpret_printing(entry).map(|(outcome, _)| outcome)
    }

    /// Interprets an entry; also returns its printed output.
    ///
    /// # Errors
    /// As [`interpret`](Self::interpret).
    pub fn interpret_printing(&self, entry: usize) -> Result<(Outcome, String), interp::Error> {
        let options = interp::Options {
            entry: Some(entry),
            step_limit: 1 << 22,
            shared_bytes: SHARED_BYTES,
        };
        let mut inputs = self.inputs.clone();
        let mut printed = String::new();
        let result = interp::launch_printing(
            &self.valid(),
            self.kernel,
            &mut arguments(&mut inputs),
            self.grid,
            options,
            &mut printed,
        );
        match result {
            Ok(()) => Ok((Ok(inputs), printed)),
            Err(interp::Error::Fault(fault)) => Ok((Err(fault), printed)),
            Err(other) => Err(other),
        }
    }

    /// Runs the PTX of an entry on the host.
    ///
    /// # Errors
    /// As [`ptx_machine::launch`].
    pub fn on_machine(&self, module: &Module, entry: usize) -> Result<Outcome, String> {
        self.on_machine_printing(module, entry).map(|(outcome, _)| outcome)
    }

    /// Runs the PTX of an entry on the host; also returns its printed output. In place of the last one a launch may take
    /// that without checks: then both are run, and do the same.
    ///
    /// # Errors
    /// As [`ptx_machine::launch`], and the difference between the two.
    pub fn on_machine_printing(&self, module: &Module, entry: usize) -> Result<(Outcome, String), String> {
        let checked = self.run_on_machine(module, entry)?;
        let last = self.program.kernels[self.kernel].entries.len() - 1;
        if entry == last && self.is_assumed(module) {
            let in_order = self.is_in_order();
            let (assumed, printed) = self.run_on_machine(module, last + 1)?;
            if let Some(difference) = self.difference(&checked.0, &assumed, in_order) {
                return Err(format!("without checks: {difference}"));
            }
            if in_order && printed != checked.1 {
                return Err(format!(
                    "without checks it prints {printed:?} in place of {:?}",
                    checked.1
                ));
            }
        }
        Ok(checked)
    }

    /// True if the launch takes the entry without checks.
    pub fn is_assumed(&self, module: &Module) -> bool {
        let mut inputs = self.inputs.clone();
        let scalars = scalars(&inputs);
        let arguments = machine_arguments(&mut inputs, &scalars);
        ptx_machine::is_assumed(
            module,
            &self.program,
            self.kernel,
            &arguments,
            (self.grid, SHARED_BYTES),
        )
    }

    fn run_on_machine(&self, module: &Module, entry: usize) -> Result<(Outcome, String), String> {
        let mut inputs = self.inputs.clone();
        let scalars = scalars(&inputs);
        let mut arguments = machine_arguments(&mut inputs, &scalars);
        let run = ptx_machine::launch(
            module,
            &self.program,
            self.kernel,
            entry,
            &mut arguments,
            (self.grid, SHARED_BYTES),
        )?;
        let printed = run.printed(module, self.kernel)?;
        let outcome = match run.report {
            None => Ok(inputs),
            Some(report) => Err(report.fault(module, &self.program, self.kernel)?),
        };
        Ok((outcome, printed))
    }

    /// True if the interpreter and the PTX machine run the threads between two barriers in the same
    /// order: no thread waits for others elsewhere.
    pub fn is_in_order(&self) -> bool {
        fn waits(block: &[Stmt]) -> bool {
            block.iter().any(|stmt| match &stmt.kind {
                StmtKind::Intrinsic { intrinsic, .. } => intrinsic.row().among > Among::Warp,
                StmtKind::Atomic { op, .. } => *op == AtomicOp::BarrierOpened,
                kind => kind.blocks().any(|block| waits(block)),
            })
        }
        let kernel = &self.program.kernels[self.kernel];
        let apart = self.valid().info().is_cooperative(self.kernel) || kernel.cluster.is_some();
        !apart && !kernel.entries.iter().any(|entry| waits(&entry.body.block))
    }

    /// True if the launch has a single thread, so that only one can be the first to fault.
    pub fn is_one_thread(&self) -> bool {
        self.program.kernels[self.kernel].block_threads() == 1 && self.grid == [1; 3]
    }

    /// The difference between expected and actual result, if any. Unless faults are `ordered` as in
    /// the interpreter, all faults are equal.
    pub fn difference(&self, expected: &Outcome, found: &Outcome, ordered: bool) -> Option<String> {
        match (expected, found) {
            (Err(expected), Err(found)) => {
                (ordered && expected != found).then(|| format!("fault {found:#?}\nin place of {expected:#?}"))
            }
            (Ok(_), Err(found)) => Some(format!("fault {found:#?}\nin place of none")),
            (Err(expected), Ok(_)) => Some(format!("no fault\nin place of {expected:#?}")),
            (Ok(expected), Ok(found)) => self.different_argument(expected, found),
        }
    }

    fn different_argument(&self, expected: &[Input], found: &[Input]) -> Option<String> {
        let parameters = &self.program.kernels[self.kernel].parameters;
        for ((parameter, expected), found) in parameters.iter().zip(expected).zip(found) {
            let (Type::Slice { element, .. }, Input::Slice(expected), Input::Slice(found)) =
                (&self.program.types[parameter.ty], expected, found)
            else {
                continue;
            };
            let size = self.program.types.layout(*element).size as usize;
            for (index, (expected, found)) in expected.chunks(size).zip(found.chunks(size)).enumerate() {
                if let Some(difference) = different(&self.program, *element, expected, found) {
                    return Some(format!("{}[{index}]{difference}", parameter.name));
                }
            }
        }
        None
    }
}

/// The bytes of scalars; none of other arguments.
fn scalars(inputs: &[Input]) -> Vec<Vec<u8>> {
    let scalar = |input: &Input| match input {
        Input::Scalar(constant) => constant.bits.to_le_bytes()[..constant.scalar.size() as usize].to_vec(),
        _ => Vec::new(),
    };
    inputs.iter().map(scalar).collect()
}

/// The arguments for the machine.
fn machine_arguments<'i>(inputs: &'i mut [Input], scalars: &'i [Vec<u8>]) -> Vec<ptx_machine::Argument<'i>> {
    let arguments = inputs.iter_mut().zip(scalars).map(|(input, scalar)| match input {
        Input::Scalar(_) => ptx_machine::Argument::Bytes(scalar),
        Input::Bytes(bytes) => ptx_machine::Argument::Bytes(bytes),
        Input::Slice(bytes) => ptx_machine::Argument::Slice(bytes),
    });
    arguments.collect()
}

fn arguments(inputs: &mut [Input]) -> Vec<Argument<'_>> {
    inputs.iter_mut().map(Input::argument).collect()
}

/// The difference of two values of a type, if any: compared bit for bit, but all NaNs are equal,
/// and padding is ignored.
fn different(program: &Program, ty: TypeId, expected: &[u8], found: &[u8]) -> Option<String> {
    let fields: Vec<(TypeId, u64)> = match &program.types[ty] {
        &Type::Atomic(scalar) if scalar.is_half() => {
            vec![(program.types.scalar(scalar), 0), (program.types.scalar(scalar), 2)]
        }
        Type::Scalar(scalar) | Type::Atomic(scalar) => {
            let (expected, found) = (bits(expected), bits(found));
            let same = expected == found || is_nan(*scalar, expected) && is_nan(*scalar, found);
            return (!same).then(|| format!(": {} {found:#x} in place of {expected:#x}", scalar.name()));
        }
        Type::Array { element, length } => {
            let size = program.types.layout(*element).size;
            (0..*length).map(|index| (*element, index * size)).collect()
        }
        Type::Tuple(fields) => fields.iter().copied().zip(program.types.layout(ty).offsets).collect(),
        Type::Struct { fields, .. } => {
            let types = fields.iter().map(|field| field.ty);
            types.zip(program.types.layout(ty).offsets).collect()
        }
        Type::Reference { .. } | Type::Slice { .. } => Vec::new(),
    };
    fields.into_iter().enumerate().find_map(|(number, (ty, offset))| {
        let (start, size) = (offset as usize, program.types.layout(ty).size as usize);
        let part = start..start + size;
        let difference = different(program, ty, &expected[part.clone()], &found[part])?;
        Some(format!(".{number}{difference}"))
    })
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

fn is_nan(scalar: Scalar, bits: u64) -> bool {
    match scalar {
        Scalar::F16 => bits & 0x7fff > 0x7c00,
        Scalar::BF16 => bits & 0x7fff > 0x7f80,
        Scalar::F32 => f32::from_bits(bits as u32).is_nan(),
        Scalar::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

/// Holds a module against the list of what its program requires, which was made without compiling it.
///
/// # Panics
/// If the module needs more.
pub fn assert_required(valid: &Validated<'_>, module: &Module) {
    let list = requirements(valid);
    let version = list.iter().map(|one| one.version).max().unwrap_or_default();
    let target = list.iter().map(|one| one.target).max().unwrap_or_default();
    // Without a list, what every GPU has; PTX versions up to that of the oldest driver are no requirements.
    assert!(module.target <= target.max(70), "{}: {list:?}", module.target);
    assert!(module.version <= version.max((8, 0)), "{:?}: {list:?}", module.version);
}
