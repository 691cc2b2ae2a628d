//! `--cpu`: the Rust that runs a kernel on the CPU.

use super::compiled;
use crate::Result;
use crate::source::Unit;

pub(super) fn show(unit: &Unit) -> Result<String> {
    let valid = unit.validated()?;
    let module = compiled(unit, &unit.options)?;
    let bodies = unit.program.kernels.handles();
    let bodies = bodies.map(|kernel| vyre_build::cpu_body(&valid, kernel, &module));
    Ok(bodies.collect::<Vec<_>>().join("\n"))
}
