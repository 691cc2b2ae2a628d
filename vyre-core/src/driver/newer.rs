//! PTX for newer devices, beside PTX for all.
//!
//! PTX has no conditions: a text with an instruction of a newer `.target` does not load on older devices. A program whose
//! operations have such instructions is compiled twice.

use vyre_ir::ir::{Program, StmtKind, each_stmt};
use vyre_ir::module::{AssumedEntry, CompileError, Module, ModuleKernel, NewerPtx};
use vyre_ir::validate::Validated;

use super::{CompileOptions, compile};
use crate::ssa::build::is_reduction;

/// Compiles the kernels of a program for all devices, and again for newer ones where that makes other code:
/// [`Module::newer`].
///
/// # Errors
/// As [`compile`].
pub fn compile_for_all(valid: &Validated<'_>, options: &CompileOptions) -> Result<Module, CompileError> {
    let mut module = compile(valid, options)?;
    let Some(target) = newer_target(valid.program()).filter(|&target| target > options.target) else {
        return Ok(module);
    };
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

/// The `.target` that an operation of a program has an instruction for, if others have a sequence.
fn newer_target(program: &Program) -> Option<u32> {
    let entries = program.kernels.iter().flat_map(|(_, kernel)| &kernel.entries);
    let functions = program.functions.iter().map(|(_, function)| &function.body);
    let mut found = None;
    for body in entries.map(|entry| &entry.body).chain(functions) {
        each_stmt(&body.block, &mut |stmt| {
            if let StmtKind::Intrinsic { intrinsic, .. } = &stmt.kind
                && is_reduction(*intrinsic)
            {
                found = Some(intrinsic.needs().target);
            }
        });
    }
    found
}

/// A kernel as its description shows it: all but the number of its instructions.
fn described(kernel: &ModuleKernel) -> ModuleKernel {
    ModuleKernel {
        instructions: Vec::new(),
        assumed: kernel.assumed.clone().map(|assumed| AssumedEntry {
            instructions: 0,
            ..assumed
        }),
        ..kernel.clone()
    }
}
