//! Compiles the kernels on types of the user, as a build script does, and looks which methods rustc has.

use std::env;
use std::process::Command;

fn main() -> Result<(), vyre_build::Error> {
    println!("cargo::rustc-check-cfg=cfg(rust_1_91)");
    if minor_version().is_some_and(|minor| minor >= 91) {
        println!("cargo::rustc-cfg=rust_1_91");
    }
    vyre_build::compile("tests/types/kernels.rs")?;
    vyre_build::compile("tests/types/vectors.rs")
}

/// The `y` of Rust 1.y.
fn minor_version() -> Option<u32> {
    let rustc = env::var_os("RUSTC")?;
    let output = Command::new(rustc).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split('.').nth(1)?.parse().ok()
}
