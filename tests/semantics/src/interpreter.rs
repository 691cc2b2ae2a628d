//! Launches by the reference interpreter.

use vyre::{Device, Result};
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
    let mut copies: Vec<Argument<'_>> = (given.iter_mut())
        .map(|given| match given {
            Given::Scalar(constant) => Argument::Scalar(*constant),
            Given::Bytes(bytes) => Argument::Bytes(bytes),
            Given::Slice { bytes, .. } => Argument::Slice(bytes),
        })
        .collect();
    let options = interp::Options {
        entry: Some(call.entry),
        shared_bytes,
        ..interp::Options::default()
    };
    let result = interp::launch_printing(&known.program, known.kernel, &mut copies, blocks, options, output);
    drop(copies);
    given::write_back(&given);
    match result {
        Ok(()) => Ok(()),
        Err(interp::Error::Fault(fault)) => Err((*fault).into()),
        Err(other) => panic!("the interpreter gave up: {other:?}\n{}", call.info.program),
    }
}
