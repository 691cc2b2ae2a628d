//! PTX for newer devices, beside PTX for all.
//!
//! PTX has no conditions: a text with an instruction of a newer `.target` does not load on older devices. A program whose
//! operations have such instructions is compiled twice.

use super::{CompileError, CompileOptions, compile};
use crate::ir::needs::Needs;
use crate::ir::{Program, StmtKind, each_stmt};
use crate::module::{Module, ModuleKernel, NewerPtx};
use crate::ssa::build::is_reduction;
use crate::validate::Validated;

/// Compiles the kernels of a program for all devices, and again for newer ones where that makes other code:
/// [`Module::newer`].
///
/// # Errors
/// If a kernel is too large.
pub fn compile_for_all(valid: &Validated<'_>, options: &CompileOptions) -> Result<Module, CompileError> {
    let mut module = compile(valid, options)?;
    let target = Needs::REDUX.target;
    if options.target >= target || !has_reductions(valid.program()) {
        return Ok(module);
    }
    let options = CompileOptions {
        target,
        ..options.clone()
    };
    let newer = compile(valid, &options)?;
    if module.target >= target {
        // No older device takes it.
        return Ok(newer);
    }
    if newer.target == target
        && newer
            .kernels
            .iter()
            .map(described)
            .eq(module.kernels.iter().map(described))
    {
        module.newer = Some(NewerPtx { ptx: newer.ptx, target });
    }
    Ok(module)
}

/// True if a program has a reduction that newer devices have an instruction for.
fn has_reductions(program: &Program) -> bool {
    let entries = program.kernels.iter().flat_map(|(_, kernel)| &kernel.entries);
    let functions = program.functions.iter().map(|(_, function)| &function.body);
    let mut found = false;
    for body in entries.map(|entry| &entry.body).chain(functions) {
        each_stmt(&body.block, &mut |stmt| {
            found |= matches!(stmt.kind, StmtKind::Intrinsic { intrinsic, .. } if is_reduction(intrinsic));
        });
    }
    found
}

/// A kernel as its description shows it: all but the number of its instructions.
fn described(kernel: &ModuleKernel) -> ModuleKernel {
    ModuleKernel {
        instructions: Vec::new(),
        ..kernel.clone()
    }
}
