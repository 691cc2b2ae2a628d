//! Assumptions of random kernels against the interpreter: in a launch that keeps them, no index that is not checked
//! any more is out of bounds. The slices are as short as the assumption allows. The PTX of the entry with the assumption runs
//! too, on the host: an address that differs from that of the source is outside all memory.
//!
//! `VYRE_SEEDS=from..to` selects the kernels, `VYRE_LONG` has ten times as many.

mod kernel;

use vyre_core::inspect::{Inequality, Observer, Stage, Symbol, compile_observed};
use vyre_core::interp::{Argument, Error, Options, launch_printing};
use vyre_core::ir::{Constant, Handle, Kernel as Code, Program};
use vyre_core::module::{FaultSite, Module};
use vyre_core::text::parse;
use vyre_core::validate::validate;
use vyre_test_support::case::{VERIFIED, on_all_cores, seeds};
use vyre_test_support::ptx_machine;

use kernel::{Kernel, SIZES, SLICES, kernel};

/// The kernels of an ordinary run.
const SEEDS: u64 = 10_000;
/// The longest slice.
const LENGTH: u64 = 4096;

/// The sites of a kernel, and those that the entry with an assumption still checks.
#[derive(Default)]
struct Watch {
    sites: Vec<FaultSite>,
    checked: Option<Vec<u32>>,
}

impl Observer for Watch {
    fn passed(&mut self, stage: &Stage<'_>) {
        if self.checked.is_none() && stage.entry == "k__assumed" {
            self.checked = Some(stage.checked_sites());
        }
    }

    fn built(&mut self, _: Handle<Code>, sites: &[FaultSite]) {
        self.sites = sites.to_vec();
    }
}

/// How many kernels have an assumption, how many can keep it, and how many checks of theirs are gone.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    assumed: u64,
    kept: u64,
    removed: u64,
    left: u64,
    /// Launches that fault at a check which is left.
    faulted: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.assumed += other.assumed;
        self.kept += other.kept;
        self.removed += other.removed;
        self.left += other.left;
        self.faulted += other.faulted;
    }
}

/// True if the conditions hold for slices of these lengths.
fn holds(kernel: &Kernel, needs: &[Inequality], lengths: &[u64; SLICES]) -> bool {
    let value = |symbol: Symbol| match symbol {
        Symbol::Argument { parameter, .. } if (parameter as usize) < SLICES => Some(lengths[parameter as usize]),
        Symbol::Argument { parameter, .. } => Some(kernel.scalars[parameter as usize - SLICES].1),
        Symbol::Grid(axis) => Some(kernel.grid[axis as usize].into()),
        Symbol::SharedBytes | Symbol::External(_) => None,
    };
    needs.iter().all(|need| need.holds(&value) == Some(true))
}

/// The bytes of slices with these lengths.
fn slices(lengths: &[u64; SLICES]) -> Vec<Vec<u8>> {
    let slices = lengths.iter().zip(SIZES);
    slices.map(|(length, size)| vec![1; (length * size) as usize]).collect()
}

/// Runs the PTX of the entry with the assumption; returns true if it faults.
fn run_assumed(
    kernel: &Kernel,
    module: &Module,
    program: &Program,
    entry: Handle<Code>,
    lengths: &[u64; SLICES],
) -> Result<bool, String> {
    let mut slices = slices(lengths);
    let scalars: Vec<Vec<u8>> = (kernel.scalars.iter())
        .map(|&(scalar, bits)| bits.to_le_bytes()[..scalar.size() as usize].to_vec())
        .collect();
    slices.push(vec![0; 4]);
    let (slices, result) = slices.split_at_mut(SLICES);
    let mut arguments: Vec<ptx_machine::Argument<'_>> = slices.iter_mut().map(ptx_machine::Argument::Slice).collect();
    arguments.extend(scalars.iter().map(|bytes| ptx_machine::Argument::Bytes(bytes)));
    arguments.extend(result.iter_mut().map(ptx_machine::Argument::Slice));
    let assumed = program.kernels[entry].entries.len();
    let run = ptx_machine::launch(module, program, entry, assumed, &mut arguments, (kernel.grid, 0))?;
    Ok(run.report.is_some())
}

fn run(seed: u64, tally: &mut Tally) {
    let kernel = kernel(seed);
    let text = &kernel.text;
    let program = parse(text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let valid = validate(&program).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{text}"));
    let mut watch = Watch::default();
    let module = compile_observed(&valid, &VERIFIED, &mut watch);
    let module = module.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let Some(assumed) = &module.kernels[0].assumed else {
        return;
    };
    let checked = watch.checked.unwrap_or_default();
    tally.assumed += 1;
    tally.left += checked.len() as u64;
    tally.removed += (watch.sites.len() - checked.len()) as u64;
    // A slice may be longer for the sake of another one, but not shorter.
    let mut lengths = [LENGTH; SLICES];
    if !holds(&kernel, &assumed.needs, &lengths) {
        return;
    }
    tally.kept += 1;
    for slice in 0..SLICES {
        let (mut short, mut long) = (0, lengths[slice]);
        while short < long {
            lengths[slice] = short.midpoint(long);
            match holds(&kernel, &assumed.needs, &lengths) {
                true => long = lengths[slice],
                false => short = lengths[slice] + 1,
            }
        }
        lengths[slice] = long;
    }
    assert!(
        holds(&kernel, &assumed.needs, &lengths),
        "seed {seed}: the conditions are monotone"
    );
    let mut slices = slices(&lengths);
    let mut arguments: Vec<Argument<'_>> = slices.iter_mut().map(|slice| Argument::Slice(slice)).collect();
    let scalars = kernel.scalars.iter();
    arguments.extend(scalars.map(|&(scalar, bits)| Argument::Scalar(Constant::new(scalar, bits))));
    let mut result = [0; 4];
    arguments.push(Argument::Slice(&mut result));
    let entry = program.kernel("k").expect("the program has a kernel");
    let on_machine = run_assumed(&kernel, &module, &program, entry, &lengths);
    let on_machine = on_machine.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let options = Options::default();
    match launch_printing(&valid, entry, &mut arguments, kernel.grid, options, &mut String::new()) {
        Ok(()) => assert!(!on_machine, "seed {seed}: only the PTX faults\n{text}"),
        Err(Error::Fault(fault)) => {
            assert!(on_machine, "seed {seed}: the PTX does not fault\n{text}");
            let is_left = checked.iter().any(|&site| {
                let site = &watch.sites[site as usize];
                site.kind == fault.kind && site.message == fault.message
            });
            let names: Vec<String> = program.kernels[entry]
                .parameters
                .iter()
                .map(|parameter| parameter.name.clone())
                .collect();
            let needs: Vec<String> = assumed.needs.iter().map(|need| need.text(&names)).collect();
            assert!(
                is_left,
                "seed {seed}: {fault:#?}\nunder {needs:#?}\nwith {:?} and {lengths:?} on {:?}\n{text}",
                kernel.scalars, kernel.grid
            );
            tally.faulted += 1;
        }
        Err(error) => panic!("seed {seed}: {error}\n{text}"),
    }
}

#[test]
fn no_index_is_out_of_bounds() {
    let seeds = seeds(0..SEEDS);
    let count = seeds.end - seeds.start;
    let tally = on_all_cores(seeds, run, Tally::add);
    println!("{count} kernels: {tally:?}");
    // A generator whose kernels have no assumptions would test nothing.
    if count >= SEEDS {
        assert!(tally.assumed >= count / 4 && tally.kept >= count / 8, "{tally:?}");
    }
}
