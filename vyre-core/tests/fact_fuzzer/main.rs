//! Facts of random kernels, each verdict against the interpreter over all threads: none may be false, and of the true ones
//! at least as large a share must be proven as before.
//!
//! `VYRE_SEEDS=from..to` selects the kernels, `VYRE_LONG` has 100,000.

mod kernel;
mod truth;

use vyre_core::inspect::{Observer, Stage, compile_observed};
use vyre_core::interp::{Argument, Options, launch_printing};
use vyre_core::ir::Constant;
use vyre_core::text::parse;
use vyre_core::validate::validate;
use vyre_test_support::case::{VERIFIED, is_long, on_all_cores, seeds};

use kernel::{Kernel, kernel};
use truth::{Tally, hold, records};

/// The kernels of an ordinary run.
const SEEDS: u64 = 2_000;
/// The passes after which facts are asked: the first one that finds the graph simplified, and one behind unrolling.
const STAGES: [&str; 2] = ["licm", "if_conversion"];

/// Holds the facts of a kernel after some passes against what it prints.
struct Watch<'k> {
    kernel: &'k Kernel,
    records: &'k [truth::Record],
    tally: &'k mut Tally,
    /// The number of [`STAGES`] that are done.
    done: usize,
}

impl Observer for Watch<'_> {
    fn passed(&mut self, stage: &Stage<'_>) {
        if STAGES.get(self.done) == Some(&stage.name) {
            hold(self.kernel, stage, self.done == 0, self.records, self.tally);
            self.done += 1;
        }
    }
}

fn run(seed: u64, tally: &mut Tally) {
    let kernel = kernel(seed);
    let text = &kernel.text;
    let program = parse(text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let valid = validate(&program).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{text}"));
    let mut output = String::new();
    let mut words = [0; 32];
    let mut arguments = vec![Argument::Slice(&mut words)];
    arguments.extend(
        kernel
            .scalars
            .iter()
            .map(|&(scalar, bits)| Argument::Scalar(Constant::new(scalar, bits))),
    );
    let entry = program
        .kernel("k")
        .unwrap_or_else(|| panic!("the program has a kernel"));
    launch_printing(
        &valid,
        entry,
        &mut arguments,
        kernel.grid,
        Options::default(),
        &mut output,
    )
    .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let mut watch = Watch {
        kernel: &kernel,
        records: &records(&output),
        tally,
        done: 0,
    };
    compile_observed(&valid, &VERIFIED, &mut watch).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
}

#[test]
fn facts_are_true() {
    let seeds = seeds(0..if is_long() { 10_000 } else { SEEDS });
    let count = seeds.end - seeds.start;
    let tally = on_all_cores(seeds, run, Tally::add);
    println!("{count} kernels: {tally}");
    // Few kernels have other shares.
    if count >= SEEDS {
        tally.at_least(if count < 10_000 { 2.0 } else { 0.0 });
    }
}
