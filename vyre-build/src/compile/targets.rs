//! The architectures that a build script names, and what it does about the assembler for them.

use vyre_abi::target::Target;

use super::error::Error;
use crate::errors::nearest;

/// Whether [`Kernels`](super::Kernels) calls ptxas, NVIDIA's assembler, which is a part of the CUDA toolkit and of the
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
