//! Cases on devices.

use vyre_core::interp;
use vyre_core::text::print;
use vyre_runtime::body::BlockContext;
use vyre_runtime::{Device, Error};
use vyre_test_support::case::{Case, Outcome};

use crate::kernel::{different_text, launch_printing, leak};

/// There is none for the CPU.
unsafe fn no_body(_: &[*const std::ffi::c_void], _: &BlockContext<'_>) {}

/// Runs an entry of a case as PTX; also returns the printed output.
///
/// # Errors
/// Errors of the launch other than a fault.
pub fn run(device: &Device, case: &Case, entry: usize) -> Result<(Outcome, String), Error> {
    let info = leak(&case.program, case.kernel, &case.compile(), no_body);
    match launch_printing(device, info, entry, case) {
        (Ok(inputs), printed) => Ok((Ok(inputs), printed)),
        (Err(Error::Fault(fault)), printed) => Ok((Err(fault), printed)),
        (Err(other), _) => Err(other),
    }
}

/// Returns true if the program faults, and the difference between the device's results and the
/// interpreter's, if any.
///
/// # Errors
/// The interpreter's error for programs without a result.
pub fn compare(device: &Device, case: &Case) -> Result<(bool, Option<String>), interp::Error> {
    let entry = case.entry()?;
    let (expected, text) = case.interpret_printing(entry)?;
    let difference = match run(device, case, entry) {
        Ok((found, printed)) => case
            .difference(&expected, &found, case.is_one_thread())
            .or_else(|| different_text(&text, &printed, expected.is_err())),
        Err(error) => Some(error.to_string()),
    };
    Ok((expected.is_err(), difference))
}

/// Prints a failing case, reduced, with its PTX.
pub fn show(device: &Device, case: &Case) {
    let small = case.reduced(|case| matches!(compare(device, case), Ok((_, Some(_)))));
    if let Ok((_, Some(difference))) = compare(device, &small) {
        println!("made small: {difference}");
    }
    println!("{}\n{}", print(&small.program), small.compile().ptx);
    println!("blocks {:?}, arguments {:x?}", small.grid, small.inputs);
    println!("before that:\n{}", print(&case.program));
}
