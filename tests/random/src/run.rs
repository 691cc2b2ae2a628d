//! Cases on devices.

use vyre_core::interp;
use vyre_runtime::host::BlockContext;
use vyre_runtime::{Device, Error};
use vyre_test_support::case::{Case, Outcome};

use crate::kernel::{launch, leak};

/// There is none for the CPU.
unsafe fn no_body(_: &[*const std::ffi::c_void], _: &BlockContext<'_>) {}

/// Runs an entry of a case, as PTX.
///
/// # Errors
/// What the launch reports, other than a fault.
pub fn run(device: &Device, case: &Case, entry: usize) -> Result<Outcome, Error> {
    let info = leak(&case.program, case.kernel, &case.compile(), no_body);
    match launch(device, info, entry, case) {
        Ok(inputs) => Ok(Ok(inputs)),
        Err(Error::Fault(fault)) => Ok(Err(fault)),
        Err(other) => Err(other),
    }
}

/// Whether the program faults, and how what the device does differs from what the interpreter does.
///
/// # Errors
/// What the interpreter says of programs that have none.
pub fn compare(device: &Device, case: &Case) -> Result<(bool, Option<String>), interp::Error> {
    let entry = case.entry()?;
    let expected = case.interpret(entry)?;
    let difference = match run(device, case, entry) {
        Ok(found) => case.difference(&expected, &found, case.is_one_thread()),
        Err(error) => Some(error.to_string()),
    };
    Ok((expected.is_err(), difference))
}
