//! Machine code of kernels that the attribute compiles.
//!
//! A build script that calls [`targets`](crate::targets) sets variables for the crate's rustc, in which the macros run.
//! Code is made where rustc makes code, too: not for `cargo check`, and not in rust-analyzer.

use std::env;
use std::path::PathBuf;
use std::sync::LazyLock;

use vyre_abi::target::Target;
use vyre_ir::module::Module;

use crate::assembler::Assembler;

/// The targets, by their names with a space between.
pub(crate) const TARGETS: &str = "VYRE_INLINE_TARGETS";

/// The path of ptxas.
pub(crate) const PTXAS: &str = "VYRE_INLINE_PTXAS";

/// The machine code that this process makes.
struct Inline {
    targets: Vec<Target>,
    assembler: Assembler,
}

/// The files of machine code of a kernel, by target. Of a kernel that ptxas does not assemble there are none, which rustc's
/// output says.
pub(crate) fn cubins(kernel: &str, module: &Module) -> Vec<(Target, PathBuf)> {
    static INLINE: LazyLock<Option<Inline>> = LazyLock::new(of_this_build);
    let Some(Inline { targets, assembler }) = &*INLINE else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for &target in targets.iter().filter(|target| target.assembles(module.target)) {
        let said = match assembler.file(module.ptx_for(target.capability), target) {
            Ok(Ok(file)) => {
                files.push((target, file));
                continue;
            }
            Ok(Err(said)) => said,
            Err(error) => error.to_string(),
        };
        eprintln!(
            "warning: `{kernel}` has no machine code for {target}: {}",
            said.trim_end()
        );
    }
    files
}

fn of_this_build() -> Option<Inline> {
    let names = env::var(TARGETS).ok()?;
    if !makes_code(&mut env::args()) {
        return None;
    }
    let program = PathBuf::from(env::var_os(PTXAS)?);
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    Some(Inline {
        targets: names.split(' ').filter_map(Target::from_name).collect(),
        assembler: Assembler::of(program, false, &out).ok()?,
    })
}

/// True if these arguments of rustc ask for code, as `--emit=dep-info,metadata,link` does.
fn makes_code(arguments: &mut dyn Iterator<Item = String>) -> bool {
    let mut is_emit = false;
    for argument in arguments {
        let kinds = match argument.strip_prefix("--emit=") {
            Some(kinds) => kinds,
            None if is_emit => argument.as_str(),
            None => {
                is_emit = argument == "--emit";
                // Where a command line is limited, cargo passes a file with an argument per line.
                let file = argument
                    .strip_prefix('@')
                    .and_then(|path| std::fs::read_to_string(path).ok());
                if file.is_some_and(|file| makes_code(&mut file.lines().map(str::to_owned))) {
                    return true;
                }
                continue;
            }
        };
        is_emit = false;
        let is_code = |kind: &str| {
            matches!(
                kind.split('=').next(),
                Some("link" | "obj" | "asm" | "llvm-ir" | "llvm-bc")
            )
        };
        if kinds.split(',').any(is_code) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
