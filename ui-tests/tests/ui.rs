//! Compiles every program in `cases/`, which all have a mistake, and compares what the compiler says
//! with the `.stderr` beside it. `TRYBUILD=overwrite` rewrites these files.

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
