//! Launches of PTX on the PTX machine.

use vyre::{Device, Result};
use vyre_test_support::ptx_machine::{self, Argument};

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
    let (program, module) = (known.program.program(), known.module());
    let mut given = given::given(call, known, device);
    let scalars: Vec<Vec<u8>> = (given.iter())
        .map(|given| match given {
            Given::Scalar(constant) => constant.bits.to_le_bytes()[..constant.scalar.size() as usize].to_vec(),
            Given::Bytes(bytes) => bytes.clone(),
            Given::Slice { .. } => Vec::new(),
        })
        .collect();
    let mut copies: Vec<Argument<'_>> = (given.iter_mut().zip(&scalars))
        .map(|(given, scalar)| match given {
            Given::Scalar(_) | Given::Bytes(_) => Argument::Bytes(scalar),
            Given::Slice { bytes, .. } => Argument::Slice(bytes),
        })
        .collect();
    let is_last = call.entry + 1 == program.kernels[known.kernel].entries.len();
    let without_checks = is_last
        .then(|| assumed(known, &copies, (blocks, shared_bytes)))
        .flatten();
    let run = ptx_machine::launch(
        module,
        program,
        known.kernel,
        call.entry,
        &mut copies,
        (blocks, shared_bytes),
    );
    if let (Some((found, report)), Ok(run)) = (without_checks, &run) {
        assert_eq!(report, run.report, "without checks\n{}", module.ptx);
        for (at, (copy, found)) in copies.iter().zip(&found).enumerate() {
            if let Argument::Slice(bytes) = copy
                && report.is_none()
            {
                assert!(
                    **bytes == *found,
                    "parameter {at} differs without checks\n{}",
                    module.ptx
                );
            }
        }
    }
    drop(copies);
    given::write_back(&given);
    let fault = run.and_then(|run| {
        output.push_str(&run.printed(module, known.kernel)?);
        run.report
            .map(|report| report.fault(module, program, known.kernel))
            .transpose()
    });
    match fault {
        Ok(None) => Ok(()),
        Ok(Some(fault)) => Err((*fault).into()),
        Err(error) => panic!("the machine gave up: {error}\n{}", module.ptx),
    }
}

/// The slices after a launch of the entry without checks, and its fault, if the launch keeps the conditions of that.
fn assumed(
    known: &Known,
    copies: &[Argument<'_>],
    launch: ([u32; 3], u32),
) -> Option<(Vec<Vec<u8>>, Option<ptx_machine::Report>)> {
    let (program, module) = (known.program.program(), known.module());
    if !ptx_machine::is_assumed(module, program, known.kernel, copies, launch) {
        return None;
    }
    let bytes = |copy: &Argument<'_>| match copy {
        Argument::Slice(bytes) => bytes.to_vec(),
        Argument::Bytes(bytes) => bytes.to_vec(),
    };
    let mut own: Vec<Vec<u8>> = copies.iter().map(bytes).collect();
    let mut arguments: Vec<Argument<'_>> = (own.iter_mut().zip(copies))
        .map(|(own, copy)| match copy {
            Argument::Slice(_) => Argument::Slice(own),
            Argument::Bytes(bytes) => Argument::Bytes(bytes),
        })
        .collect();
    let entry = program.kernels[known.kernel].entries.len();
    let run = ptx_machine::launch(module, program, known.kernel, entry, &mut arguments, launch);
    drop(arguments);
    let run = run.unwrap_or_else(|error| panic!("the machine gave up without checks: {error}\n{}", module.ptx));
    Some((own, run.report))
}
