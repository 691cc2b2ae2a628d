//! Random programs as PTX on a CUDA device, held against the interpreter.
//!
//! `VYRE_SEEDS=from..to` chooses the programs. What differs is shown with a smaller program that
//! does too.

use vyre_core::ir::Program;
use vyre_core::text::print;
use vyre_runtime::Device;
use vyre_test_random::kernel::cuda;
use vyre_test_random::run::compare;
use vyre_test_support::case::{Case, seeds};
use vyre_test_support::random_program::{Options, random_program};
use vyre_test_support::shrink::shrink;

/// Programs that are shown; of those that follow only how they differ.
const SHOWN: usize = 3;

fn case(seed: u64) -> Case {
    let options = Options {
        faults: seed.is_multiple_of(3),
        spans: true,
        odd_names: seed % 3 == 1,
        prints: seed % 4 == 1,
        cooperation: seed % 5 < 2,
        ..Options::default()
    };
    Case::random(random_program(seed, options), seed)
}

fn show(device: &Device, case: &Case) {
    let fails = |program: &Program| matches!(compare(device, &case.with(program.clone())), Ok((_, Some(_))));
    let small = case.with(shrink(&case.program, case.kernel, fails));
    if let Ok((_, Some(difference))) = compare(device, &small) {
        println!("made small: {difference}");
    }
    println!("{}\n{}", print(&small.program), small.compile().ptx);
    println!("blocks {:?}, arguments {:x?}", small.grid, small.inputs);
    println!("before that:\n{}", print(&case.program));
}

#[test]
fn ptx_does_what_the_interpreter_does() {
    let Some(device) = cuda("ptx_does_what_the_interpreter_does") else {
        return;
    };
    let seeds = seeds(0..300);
    let (mut faults, mut differ) = (0, Vec::new());
    for seed in seeds.clone() {
        let case = case(seed);
        let (fault, difference) = compare(&device, &case).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        faults += u32::from(fault);
        if let Some(difference) = difference {
            println!("seed {seed}: {difference}");
            if differ.len() < SHOWN {
                show(&device, &case);
            }
            differ.push(seed);
        }
    }
    println!("seeds {seeds:?}: {faults} fault, {} differ", differ.len());
    assert!(differ.is_empty(), "seeds {differ:?} differ");
}

/// What ptxas 13.0 made wrong on an H200: tiles of a warp went their own ways, and ballots, counts and
/// barriers behind them did not bring them together; one overwrote the length of a slice, which the
/// warp had in a register of its own, before another had read it.
#[test]
fn tiles_come_together() {
    let Some(device) = cuda("tiles_come_together") else {
        return;
    };
    for seed in [401_141, 402_395, 404_105, 406_010, 407_185, 407_926, 408_030, 610_610] {
        let (_, difference) = compare(&device, &case(seed)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(difference, None, "seed {seed}");
    }
}
