//! The architectures that a build script names, and what it does about the assembler for them.

use std::path::{Path, PathBuf};

use vyre_abi::target::Target;
use vyre_front::nearest;

use super::error::Error;
use crate::assembler::Assembler;
use crate::{inline_code, toolkit};

/// The variables that direct the search for ptxas, but `PATH`: a terminal and an editor often have different ones, and
/// the crate would be built anew for each.
const VARIABLES: [&str; 4] = ["VYRE_PTXAS", "VYRE_CUDA", "CUDA_HOME", "CUDA_PATH"];

/// The policy by which [`Kernels`](super::Kernels) calls ptxas, NVIDIA's assembler, which is a part of the CUDA toolkit and of the
/// Python package `nvidia-cuda-nvcc`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ptxas {
    /// Never: kernels are embedded as PTX alone.
    Never,
    /// If there is one. Kernels that it does not assemble are embedded as PTX alone, with a warning.
    #[default]
    IfPresent,
    /// Always: the build fails without it.
    Required,
}

/// The targets of these names, each once.
pub(super) fn targets(names: &[String]) -> Result<Vec<Target>, Error> {
    let mut targets = Vec::new();
    for name in names {
        let target = Target::from_name(name).ok_or_else(|| unknown(name))?;
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    Ok(targets)
}

fn unknown(name: &str) -> Error {
    let known = Target::ALL.map(|target| target.to_string());
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    // `90` and `compute_90` are the architecture by other names.
    let number = name.trim_start_matches("compute_").trim_start_matches("sm");
    let meant = format!("sm_{}", number.trim_start_matches('_'));
    let near = match names.contains(&meant.as_str()) {
        true => Some(meant.as_str()),
        false => nearest(name, &names),
    };
    Error::UnknownTarget {
        target: name.to_owned(),
        near: near.map(str::to_owned),
    }
}

/// The assembler of this machine, or `None` where the build goes on without.
pub(super) fn find(policy: Ptxas, line_info: bool, out: &Path) -> Result<Option<Assembler>, Error> {
    if policy == Ptxas::Never {
        return Ok(None);
    }
    for variable in VARIABLES {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let found = match toolkit::find("ptxas") {
        Some(program) => assembler(program, line_info, out),
        None => {
            println!("cargo:rerun-if-env-changed=PATH");
            Err(Error::NoAssembler {
                tried: None,
                astray: toolkit::astray("ptxas"),
            })
        }
    };
    match found {
        Ok(assembler) => Ok(Some(assembler)),
        Err(error) if policy == Ptxas::Required => Err(error),
        Err(error) => {
            warn(&format!("kernels are PTX alone: {error}"));
            Ok(None)
        }
    }
}

/// The assembler of this program, which cargo watches.
pub(super) fn assembler(program: PathBuf, line_info: bool, out: &Path) -> Result<Assembler, Error> {
    // One that does not exist would have cargo run the build script each time.
    if program.exists() {
        println!("cargo:rerun-if-changed={}", program.display());
    }
    Assembler::of(program.clone(), line_info, out).map_err(|said| Error::NoAssembler {
        tried: Some((program, said)),
        astray: toolkit::astray("ptxas"),
    })
}

/// Asks for machine code of the kernels that attributes of this crate compile, `#[vyre::kernel]`, for these architectures.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), vyre_build::Error> {
///     vyre_build::targets(["sm_80", "sm_90"])
/// }
/// ```
///
/// The macro calls ptxas where rustc makes code, and not under `cargo check` or in rust-analyzer. Machine code is kept in
/// `OUT_DIR/vyre-cubins`, so an edit costs the assembly of its kernel alone. Without ptxas there is a warning, and the
/// kernels are PTX alone; so is a kernel with constants whose values rustc supplies.
///
/// # Errors
/// Unknown targets, and a call elsewhere than in a build script.
pub fn inline<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Result<(), Error> {
    let targets = targets(&names.into_iter().map(Into::into).collect::<Vec<_>>())?;
    let Some(out) = std::env::var_os("OUT_DIR") else {
        return Err(Error::NotInBuildScript { variable: "OUT_DIR" });
    };
    // Without a line that says so, cargo runs the build script again for every file of the package.
    println!("cargo:rerun-if-changed=build.rs");
    if let Some(assembler) = find(Ptxas::IfPresent, false, Path::new(&out))? {
        assembler.forget_old();
        let names: Vec<String> = targets.iter().map(Target::to_string).collect();
        println!("cargo:rustc-env={}={}", inline_code::TARGETS, names.join(" "));
        println!(
            "cargo:rustc-env={}={}",
            inline_code::PTXAS,
            assembler.program().display()
        );
    }
    Ok(())
}

/// A warning of the build script, which is shown for packages of the workspace.
pub(crate) fn warn(text: &str) {
    for line in text.lines() {
        println!("cargo:warning={line}");
    }
}
