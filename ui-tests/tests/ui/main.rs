//! Compiles the programs in `cases/`, which all have mistakes, and compares the compiler's output with the
//! `.stderr` beside each.
//!
//! Most cases are compiled together, with the library of vyre that the test is linked with. `VYRE_LONG=1` has trybuild
//! compile each on its own, with a second build of vyre that has the default features. `TRYBUILD=overwrite` does so too,
//! and rewrites the files.
//!
//! Mistakes of one code in one folder share a file with the name of the code, as far as rustc reports them
//! all at once. The names of the kernels tell the mistakes apart.

mod diagnostics;
mod together;

use std::process::Command;

/// Cases of a vyre without the feature `half`. The tests of other packages need it, and cargo builds vyre for all of them.
const WITHOUT_HALF: [&str; 3] = [
    "cases/types/V0212.rs",
    "cases/types/V0307.rs",
    "cases/types/half_without_the_feature.rs",
];

/// Cases in which rustc adds what it finds in the crates that other features bring.
const WITH_MORE_CRATES: [&str; 7] = [
    "cases/functions/mismatch_in_generic.rs",
    "cases/launch/recorded_without_domain.rs",
    "cases/methods/casts.rs",
    "cases/mistakes/functions_of_the_host.rs",
    "cases/mistakes/methods_of_other_languages.rs",
    "cases/mistakes/vectors.rs",
    "cases/mistakes/ways_out.rs",
];

/// The minor version of the rustc whose words the files hold. Others word, point and count
/// differently; with them `vyre-front/tests/words.rs` alone runs, which asks vyre without rustc.
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

/// The errors of cargo itself in trybuild's project, those of the cases aside. trybuild hides them: where cargo stops
/// before the cases, it reports that every case compiles.
fn errors_of_cargo() -> Option<Vec<String>> {
    let program = std::env::current_exe().ok()?;
    let target = program.ancestors().nth(3)?.join("tests/trybuild");
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["check", "--offline", "--bins", "--keep-going", "--message-format=short"])
        .current_dir(target.join("vyre-ui-tests"))
        .env("CARGO_TARGET_DIR", &target)
        .output()
        .ok()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let of_cargo = |line: &&str| line.starts_with("error") && !line.contains("vyre-ui-tests-tests");
    Some(stderr.lines().filter(of_cargo).map(str::to_owned).collect())
}

#[test]
fn messages() {
    let found = minor();
    if found != Some(KNOWN) {
        println!("SKIP-UI: rustc 1.{KNOWN} words the messages, and this is {found:?}");
        return;
    }
    let is_set = |name| std::env::var_os(name).is_some();
    // trybuild knows the paths of other systems.
    if cfg!(unix) && !is_set("VYRE_LONG") && !is_set("TRYBUILD") {
        let (cases, programs) = together::compare(&WITHOUT_HALF, &WITH_MORE_CRATES);
        println!("{cases} cases, compiled as {programs} programs");
        return;
    }
    let compare = || trybuild::TestCases::new().compile_fail("cases/*/*.rs");
    // The words do not change from run to run. A second run that passes shows that cargo had failed, not vyre.
    if std::panic::catch_unwind(compare).is_err() {
        println!("the first run failed; errors of cargo: {:?}", errors_of_cargo());
        compare();
    }
}
