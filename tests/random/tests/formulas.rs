//! Random formulas as PTX, on the PTX machine and on a CUDA device, compared with the interpreter.
//!
//! `VYRE_SEEDS=from..to` selects the programs.

use vyre_test_random::formulas::random_formulas;
use vyre_test_random::kernel::cuda;
use vyre_test_random::run::{compare, show};
use vyre_test_support::case::{Case, seeds};

#[test]
fn formulas_of_the_machine() {
    for seed in seeds(0..300) {
        let case = Case::random(random_formulas(seed), seed);
        let expected = case.interpret(0).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let module = case.compile();
        let found = case
            .on_machine(&module, 0)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(
            case.difference(&expected, &found, true),
            None,
            "seed {seed}: {}",
            module.ptx
        );
    }
}

#[test]
fn formulas_of_a_device() {
    let Some(device) = cuda("formulas_of_a_device") else {
        return;
    };
    let seeds = seeds(0..300);
    let mut differ = Vec::new();
    for seed in seeds.clone() {
        let case = Case::random(random_formulas(seed), seed);
        let (_, difference) = compare(&device, &case).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        if let Some(difference) = difference {
            println!("seed {seed}: {difference}");
            if differ.len() < 3 {
                show(&device, &case);
            }
            differ.push(seed);
        }
    }
    assert!(differ.is_empty(), "of seeds {seeds:?} {differ:?} differ");
}
