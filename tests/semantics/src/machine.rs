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
    let run = ptx_machine::launch(
        module,
        program,
        known.kernel,
        call.entry,
        &mut copies,
        (blocks, shared_bytes),
    );
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
