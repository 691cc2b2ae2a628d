//! The programs of kernels of a crate, parsed from the texts that they embed.

use std::collections::HashMap;

use vyre_ir::ir::{Handle, Program};
use vyre_ir::text;
use vyre_ir::validate::{Validated, validate};

use super::run::run;
use super::signature::{Parameter, parameters};
use crate::backend::{Interpreter, Interpreting, PrintedText};
use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;
use crate::sync::Mutex;

/// The program of a kernel.
struct Known {
    program: Validated<'static>,
    parameters: Vec<Parameter>,
}

impl Interpreter for Known {
    unsafe fn run(&self, launch: Interpreting<'_>, printed: &mut PrintedText) -> Result<()> {
        // SAFETY: the contract is the same.
        unsafe { run(&self.program, &self.parameters, launch, printed) }
    }
}

/// Runs a kernel of a crate in the interpreter.
///
/// # Errors
/// A text that is no program of this version.
pub(crate) fn interpreter_of(kernel: &KernelDescription<'_>) -> Result<&'static dyn Interpreter> {
    static ALL: Mutex<Option<HashMap<(usize, usize), &'static Known>>> = Mutex::new(None);
    // Texts of kernels of a crate stay where they are.
    let key = (kernel.program.as_ptr().addr(), kernel.program.len());
    let mut all = ALL.lock();
    let all = all.get_or_insert_default();
    if let Some(known) = all.get(&key) {
        return Ok(*known);
    }
    let invalid = |errors: Vec<String>| Error::InvalidProgram { errors };
    let program = text::parse(kernel.program).map_err(|error| invalid(vec![error.to_string()]))?;
    // Leaked: the kernel lives as long as the process.
    let program: &'static Program = Box::leak(Box::new(program));
    let valid = validate(program)
        .map_err(|errors| invalid(errors.iter().map(|error| error.display(program).to_string()).collect()))?;
    let parameters = parameters(&program.types, &program.kernels[Handle::new(0)]);
    let known: &'static Known = Box::leak(Box::new(Known {
        program: valid,
        parameters,
    }));
    all.insert(key, known);
    Ok(known)
}
