//! Runs planted faults by name, on the first GPU or else the CPU, under a tool that looks for such faults:
//!
//! ```sh
//! compute-sanitizer --tool racecheck target/debug/vyre-check-tests racecheck
//! compute-sanitizer --tool racecheck target/debug/vyre-check-tests racecheck --repaired
//! compute-sanitizer --tool initcheck target/debug/vyre-check-tests initcheck
//! ```
//!
//! A name of a fault, as `halves`, runs that one. With `--list` the names are printed.

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use vyre::Device;
use vyre_check_tests::planted::{Fault, of_initcheck, of_racecheck};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let names: Vec<&String> = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let groups = [("racecheck", of_racecheck()), ("initcheck", of_initcheck())];
    let mut faults: Vec<(&str, Fault)> = Vec::new();
    for (group, members) in groups {
        faults.extend(members.into_iter().map(|fault| (group, fault)));
    }
    faults.retain(|(group, fault)| names.is_empty() || names.iter().any(|name| name == group || *name == fault.name));
    if faults.is_empty() {
        eprintln!("no fault of these names: {names:?}; --list has them");
        return ExitCode::FAILURE;
    }
    let device = match Device::best() {
        Ok(device) => device,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    for (group, fault) in faults {
        println!(
            "{group}: {} on {device}, lines {:?} of {}",
            fault.name,
            fault.lines(),
            fault.file
        );
        if has("--list") {
            continue;
        }
        // A wrong result, which a fault may well have, is no matter here.
        let ran = std::panic::catch_unwind(AssertUnwindSafe(|| (fault.run)(&device, !has("--repaired"))));
        match ran {
            Ok(Ok(())) => println!("  the result is right"),
            Ok(Err(error)) => println!("  {error}"),
            Err(_) => println!("  the result is wrong"),
        }
    }
    ExitCode::SUCCESS
}
