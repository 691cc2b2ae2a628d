//! Compiles the programs in `cases/`, which all have mistakes, and compares the compiler's output with the
//! `.stderr` beside each. `TRYBUILD=overwrite` rewrites these files.
//!
//! Mistakes of one code in one folder share a file with the name of the code, as far as rustc reports them
//! all at once: trybuild takes a tenth of a second for each file. The names of the kernels tell the
//! mistakes apart.

use std::process::Command;

/// The minor version of the rustc whose words the files hold. Others word, point and count
/// differently; with them `words.rs` alone runs, which asks vyre without rustc.
const KNOWN: u32 = 95;

/// The minor version of the rustc that cargo uses; `None` of one that is not stable.
fn minor() -> Option<u32> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    let number = version.split(' ').nth(1)?;
    let stable = !number.contains('-');
    stable.then(|| number.split('.').nth(1)?.parse().ok())?
}

#[test]
fn messages() {
    let found = minor();
    if found != Some(KNOWN) {
        println!("SKIP-UI: rustc 1.{KNOWN} words the messages, and this is {found:?}");
        return;
    }
    trybuild::TestCases::new().compile_fail("cases/*/*.rs");
}
