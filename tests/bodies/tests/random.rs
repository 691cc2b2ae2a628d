//! The CPU bodies of random programs agree with the interpreter.

use vyre_runtime::{Device, Error};
use vyre_test_bodies::{launchers, random};
use vyre_test_random::kernel::{different_text, launch_printing};
use vyre_test_support::case::Case;
use vyre_test_support::random_program::Input;

#[test]
fn bodies_do_what_the_interpreter_does() {
    let mut differ = Vec::new();
    for (seed, info) in launchers::random_kernels() {
        let mut case = Case::random(random::program(seed), seed);
        // The host constants have their initial values: none is set.
        let given = case.program.kernels[case.kernel].parameters.len();
        for (input, (_, table)) in case.inputs[given..].iter_mut().zip(case.program.host_tables()) {
            let size = table
                .scalar(&case.program.types)
                .map_or(0, |scalar| scalar.size() as usize);
            let bytes = table
                .values
                .iter()
                .flat_map(|value| value.to_le_bytes().into_iter().take(size));
            *input = Input::Bytes(bytes.collect());
        }
        // Bodies are generated from the last entry, which accepts any arguments.
        let entry = case.program.kernels[case.kernel].entries.len() - 1;
        let (expected, text) = case
            .interpret_printing(entry)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let (result, printed) = launch_printing(&Device::cpu(), info, entry, &case);
        let found = match result {
            Ok(inputs) => Ok(inputs),
            Err(Error::Fault(mut fault)) => {
                fault.kernel.clone_from(&case.program.kernels[case.kernel].name);
                Err(fault)
            }
            Err(other) => panic!("seed {seed}: {other}"),
        };
        let difference = case
            .difference(&expected, &found, case.is_one_thread())
            .or_else(|| different_text(&text, &printed, expected.is_err()));
        if let Some(difference) = difference {
            println!("seed {seed}: {difference}\n{}", vyre_core::text::print(&case.program));
            differ.push(seed);
        }
    }
    assert!(differ.is_empty(), "seeds {differ:?} differ");
}
