//! Launches by the reference interpreter.

use vyre::{Device, Result};
use vyre_core::interp::check::Check;
use vyre_core::interp::{self, Argument};

use crate::given::{self, Call, Given, Known};

/// Runs a kernel on a grid, with dynamic shared memory, and appends its printed output to `output`.
pub(crate) fn grid(
    call: &Call<'_>,
    device: &Device,
    blocks: [u32; 3],
    shared_bytes: u32,
    output: &mut String,
) -> Result<()> {
    let known = Known::of(call.info);
    let mut given = given::given(call, known, device);
    let mut copies = arguments(&mut given);
    let options = interp::Options {
        entry: Some(call.entry),
        shared_bytes,
        ..interp::Options::default()
    };
    let result = interp::launch_printing(&known.program, known.kernel, &mut copies, blocks, options, output);
    drop(copies);
    check(call, device, blocks, options, &given, result.is_ok());
    given::write_back(&given);
    match result {
        Ok(()) => Ok(()),
        Err(interp::Error::Fault(fault)) => Err((*fault).into()),
        Err(other) => panic!("the interpreter gave up: {other:?}\n{}", call.info.program),
    }
}

/// Kernels that checking mode reports: their file, their names, and the good reason.
const REPORTED: &str = "
aligned.rs: apart between: every thread of the block stores the same numbers
any_slice.rs: compared: every thread of the block stores the same numbers
copies.rs: overwrites: reads the target of a copy before the wait, on purpose
dynamic.rs: shapes tiles: several threads store the same number
host_constants.rs: weighs: every thread of the block stores the same numbers
slices.rs: windowed split: every thread of the block stores the same number
mma_tiles.rs: from_anywhere: two threads store the same number in each element
collectives.rs: divergent: waits at two barriers, on purpose
collectives.rs: of_structs: lanes skip an operation and end, on purpose
tiles.rs: combined: lanes skip an operation and end, on purpose
shared.rs: leave_one_by_one: threads skip the barrier and end, on purpose
places.rs: triple: threads without an element skip the barrier and end
";

/// The suites whose kernels are held to it, by what their files are named after.
const SUITES: [&str; 3] = ["semantics", "algorithms", "primitives"];

/// Runs the same launch in checking mode, in the same order of the threads and in another: it reports nothing, and has the
/// same results, unless atomics give them an order.
fn check(
    call: &Call<'_>,
    device: &Device,
    blocks: [u32; 3],
    options: interp::Options,
    results: &[Given],
    succeeds: bool,
) {
    let (known, name) = (Known::of(call.info), call.info.name);
    // The first lines of a program name its files.
    let mut lines = call.info.program.lines();
    let file = lines.find(|line| line.starts_with("file ")).unwrap_or_default();
    if !SUITES.iter().any(|suite| file.contains(suite)) {
        return;
    }
    let is_reported = REPORTED.lines().any(|line| {
        let mut parts = line.split(": ");
        let (in_file, names) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        !in_file.is_empty()
            && file.trim_end_matches('"').ends_with(in_file)
            && names.split(' ').any(|reported| reported == name)
    });
    for seed in [0, 1] {
        let mut again = given::given(call, known, device);
        let mut copies = arguments(&mut again);
        let check = Check {
            seed,
            ..Check::default()
        };
        let mut output = interp::Printed {
            room: u64::MAX,
            ..interp::Printed::default()
        };
        let (program, kernel) = (&known.program, known.kernel);
        let checked = interp::launch_checked(program, kernel, &mut copies, blocks, options, &check, &mut output);
        drop(copies);
        if let (Some(report), false) = (checked.reports.first(), is_reported) {
            panic!("seed {seed}: {report}\n{}", call.info.program);
        }
        assert_eq!(
            checked.outcome.is_ok(),
            succeeds,
            "`{name}`, seed {seed}: {:?}",
            checked.outcome
        );
        if succeeds && (seed == 0 || !call.info.program.contains(" atomic ")) {
            for (wanted, found) in results.iter().zip(&again) {
                if let (Given::Slice { bytes: wanted, .. }, Given::Slice { bytes: found, .. }) = (wanted, found) {
                    assert!(wanted == found, "`{name}`, seed {seed}: the results differ");
                }
            }
        }
    }
}

fn arguments(given: &mut [Given]) -> Vec<Argument<'_>> {
    (given.iter_mut())
        .map(|given| match given {
            Given::Scalar(constant) => Argument::Scalar(*constant),
            Given::Bytes(bytes) => Argument::Bytes(bytes),
            Given::Slice { bytes, .. } => Argument::Slice(bytes),
        })
        .collect()
}
