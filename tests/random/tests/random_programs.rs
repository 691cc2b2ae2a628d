//! Random programs as PTX on a CUDA device, compared with the interpreter.
//!
//! `VYRE_SEEDS=from..to` selects the programs. Failing programs are reduced and shown.

use vyre_core::ir::Handle;
use vyre_core::text::parse;
use vyre_test_random::kernel::cuda;
use vyre_test_random::run::{compare, show};
use vyre_test_support::case::{Case, seeds};
use vyre_test_support::random_program::{Options, RandomProgram, random_program};

/// Limit of shown programs; later ones only report their difference.
const SHOWN: usize = 3;

fn case(seed: u64) -> Case {
    let options = Options {
        faults: seed.is_multiple_of(3),
        spans: true,
        odd_names: seed % 3 == 1,
        prints: seed % 4 == 1,
        cooperation: seed % 5 < 2,
        clusters: seed % 7 < 2,
        constants: seed % 8 < 3,
        ..Options::default()
    };
    Case::random(random_program(seed, options), seed)
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

/// Programs that ptxas 13.0 miscompiled on an H200: tiles of a warp diverged, and later ballots,
/// counts and barriers did not make them reconverge; one tile overwrote the length of a slice,
/// which the warp kept in a uniform register, before another had read it.
///
/// In 2008380 and 4042691 it lost a negation: the maximum of it and another number was compared
/// with a third. In 4033370 it took the magnitude of a NaN for more than a negative number.
#[test]
fn kept_programs_are_assembled_rightly() {
    let Some(device) = cuda("kept_programs_are_assembled_rightly") else {
        return;
    };
    for (seed, grid, text) in KEPT {
        let program = parse(text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let kernel = Handle::new(0);
        let case = Case::random(RandomProgram { program, kernel, grid }, seed);
        let (_, difference) = compare(&device, &case).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(difference, None, "seed {seed}");
    }
}

/// Programs of earlier generators with their seeds, which are also those of their arguments, and
/// the grids.
const KEPT: [(u64, [u32; 3], &str); 11] = [
    (401_141, [3, 1, 1], include_str!("../programs/401141.txt")),
    (402_395, [1, 1, 3], include_str!("../programs/402395.txt")),
    (404_105, [2, 1, 1], include_str!("../programs/404105.txt")),
    (406_010, [1, 1, 1], include_str!("../programs/406010.txt")),
    (407_185, [2, 2, 2], include_str!("../programs/407185.txt")),
    (407_926, [5, 1, 1], include_str!("../programs/407926.txt")),
    (408_030, [2, 1, 1], include_str!("../programs/408030.txt")),
    (610_610, [2, 2, 1], include_str!("../programs/610610.txt")),
    (2_008_380, [1, 1, 1], include_str!("../programs/2008380.txt")),
    (4_033_370, [2, 1, 1], include_str!("../programs/4033370.txt")),
    (4_042_691, [5, 1, 1], include_str!("../programs/4042691.txt")),
];

/// The kept programs are unchanged under printing and compiling.
#[test]
fn kept_programs_run() {
    for (seed, grid, text) in KEPT {
        let program = parse(text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let kernel = Handle::new(0);
        let case = Case::random(RandomProgram { program, kernel, grid }, seed);
        let entry = case.entry().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let expected = case
            .interpret(entry)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let found = case
            .on_machine(&case.compile(), entry)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(
            case.difference(&expected, &found, case.is_one_thread()),
            None,
            "seed {seed}"
        );
    }
}
