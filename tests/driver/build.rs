//! Compiles the driver once, as the library that `Stage` puts where a process looks for it.

use std::env;
use std::path::Path;
use std::process::{Command, exit};

fn main() {
    println!("cargo::rerun-if-changed=driver");
    let variable = |name| env::var_os(name).expect("cargo sets it");
    let status = Command::new(variable("RUSTC"))
        .args([
            "--crate-name=cuda",
            "--crate-type=cdylib",
            "--edition=2024",
            "-Cstrip=symbols",
            "-o",
        ])
        .arg(Path::new(&variable("OUT_DIR")).join("libcuda.so.1"))
        .arg("driver/main.rs")
        .status();
    // rustc has said why.
    if !status.is_ok_and(|status| status.success()) {
        exit(1);
    }
}
