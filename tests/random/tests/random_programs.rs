//! Random programs as PTX on a CUDA device, held against the interpreter.
//!
//! `VYRE_SEEDS=from..to` chooses the programs. What differs is shown with a smaller program that
//! does too.

use vyre_core::interp;
use vyre_core::ir::Program;
use vyre_core::text::print;
use vyre_runtime::host::BlockContext;
use vyre_runtime::{Device, Error};
use vyre_test_random::kernel::{cuda, launch, leak};
use vyre_test_support::case::{Case, Outcome, seeds};
use vyre_test_support::random_program::{Options, random_program};
use vyre_test_support::shrink::shrink;

/// Programs that are shown; of those that follow only how they differ.
const SHOWN: usize = 3;

fn case(seed: u64) -> Case {
    let options = Options {
        faults: seed % 4 == 3,
        decorated: seed % 4 > 1,
        open_externals: false,
    };
    Case::random(random_program(seed, options), seed)
}

/// There is none for the CPU.
unsafe fn no_body(_: &[*const std::ffi::c_void], _: &BlockContext<'_>) {}

fn run(device: &Device, case: &Case, entry: usize) -> Result<Outcome, Error> {
    let info = leak(&case.program, case.kernel, &case.compile(), no_body);
    let mut inputs = case.inputs.clone();
    match launch(device, info, entry, &mut inputs, case.grid) {
        Ok(()) => Ok(Ok(inputs)),
        Err(Error::Fault(fault)) => Ok(Err(fault)),
        Err(other) => Err(other),
    }
}

/// Whether the program faults, and how what the device does differs from what the interpreter does.
/// Programs without a defined result, into which shrinking may turn one, are errors.
fn compare(device: &Device, case: &Case) -> Result<(bool, Option<String>), interp::Error> {
    let entry = case.entry()?;
    let expected = case.interpret(entry)?;
    let difference = match run(device, case, entry) {
        Ok(found) => case.difference(&expected, &found, case.is_one_thread()),
        Err(error) => Some(error.to_string()),
    };
    Ok((expected.is_err(), difference))
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
