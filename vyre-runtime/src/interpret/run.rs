//! Kernels on the CPU, by the reference interpreter.

#[cfg(feature = "programs")]
use std::sync::Arc;

use vyre_ir::interp::{self, Printed};
use vyre_ir::ir::Handle;
#[cfg(feature = "programs")]
use vyre_ir::ir::Program;
use vyre_ir::validate::Validated;
#[cfg(feature = "programs")]
use vyre_ir::validate::validate;

use super::arguments::{Read, read};
use super::signature::Parameter;
#[cfg(feature = "programs")]
use crate::backend::Interpreter;
use crate::backend::{Interpreting, PrintedText};
use crate::error::{Error, Result};

/// The only kernel of a valid program that was made at run time.
#[cfg(feature = "programs")]
pub(crate) struct Interpreted {
    pub(crate) program: Arc<Program>,
    pub(crate) parameters: Arc<[Parameter]>,
}

#[cfg(feature = "programs")]
impl Interpreter for Interpreted {
    unsafe fn run(&self, launch: Interpreting<'_>, printed: &mut PrintedText) -> Result<()> {
        let program = &*self.program;
        // Cheap beside the run, and what it finds borrows the program.
        let valid = validate(program).map_err(|errors| Error::InvalidProgram {
            errors: errors.iter().map(|error| error.display(program).to_string()).collect(),
        })?;
        // SAFETY: the contract is the same.
        unsafe { run(&valid, &self.parameters, launch, printed) }
    }
}

/// Runs the only kernel of a program.
///
/// # Errors
/// As [`Interpreter::run`](crate::backend::Interpreter::run).
///
/// # Safety
/// The parameters are those of the kernel, as [`Interpreter::run`](crate::backend::Interpreter::run) says.
pub(super) unsafe fn run(
    valid: &Validated<'_>,
    parameters: &[Parameter],
    launch: Interpreting<'_>,
    printed: &mut PrintedText,
) -> Result<()> {
    let program = valid.program();
    let handle = Handle::new(0);
    let kernel = &program.kernels[handle];
    // SAFETY: the contract is the same.
    let read = unsafe { read(program, parameters, launch.parameters)? };
    let Read { mut arguments, .. } = read;
    let options = interp::Options {
        // The last entry takes any arguments, and its threads cover one index each, as the grid has it.
        entry: kernel.entries.len().checked_sub(1),
        shared_bytes: launch.shared_bytes,
        ..interp::Options::default()
    };
    let mut output = Printed {
        room: printed.room,
        ..Printed::default()
    };
    let grid = launch.grid;
    let mut run = || {
        #[cfg(feature = "check")]
        if let Some(checker) = launch.checker {
            let how = (grid, options);
            // SAFETY: nothing else accesses the memory in a conflicting way, by the contract.
            return unsafe { checker.launch(valid, handle, &mut arguments, &read.slices, how, &mut output) };
        }
        let done = interp::launch_limited(valid, handle, &mut arguments, grid, options, &mut output);
        done.map_err(|error| Error::of_interpreter(&kernel.name, error))
    };
    let done = run();
    *printed = PrintedText {
        text: output.text,
        room: output.room,
        lost: output.lost,
    };
    done
}
