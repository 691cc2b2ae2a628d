//! Compiles every program in `cases/`, which all have a mistake, and compares what the compiler says
//! with the `.stderr` beside it. `TRYBUILD=overwrite` rewrites these files.

use std::process::Command;

/// The minor version of the rustc whose words the files hold. Others word and point differently, so
/// they compile the cases, which must fail, but their words are not compared.
const KNOWN: u32 = 95;

/// The minor version of the rustc that cargo uses.
fn minor() -> Option<u32> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    version.split(' ').nth(1)?.split('.').nth(1)?.parse().ok()
}

#[test]
fn messages() {
    let found = minor();
    if found != Some(KNOWN) {
        println!("SKIP-UI rustc 1.{KNOWN} words the messages, this is {found:?}");
        return;
    }
    trybuild::TestCases::new().compile_fail("cases/*/*.rs");
}
