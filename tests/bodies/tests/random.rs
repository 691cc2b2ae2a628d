//! The CPU bodies of random programs do what the interpreter does.

use vyre_runtime::{Device, Error};
use vyre_test_bodies::{launchers, random};
use vyre_test_random::kernel::launch;
use vyre_test_support::case::Case;

#[test]
fn bodies_do_what_the_interpreter_does() {
    let mut differ = Vec::new();
    for (seed, info) in launchers::random_kernels() {
        let case = Case::random(random::program(seed), seed);
        // Bodies are made of the last entry, which takes any arguments.
        let entry = case.program.kernels[case.kernel].entries.len() - 1;
        let expected = case
            .interpret(entry)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let found = match launch(&Device::cpu(), info, entry, &case) {
            Ok(inputs) => Ok(inputs),
            Err(Error::Fault(mut fault)) => {
                fault.kernel.clone_from(&case.program.kernels[case.kernel].name);
                Err(fault)
            }
            Err(other) => panic!("seed {seed}: {other}"),
        };
        if let Some(difference) = case.difference(&expected, &found, case.is_one_thread()) {
            println!("seed {seed}: {difference}\n{}", vyre_core::text::print(&case.program));
            differ.push(seed);
        }
    }
    assert!(differ.is_empty(), "seeds {differ:?} differ");
}
