//! The checks of a program. [`Validated`] is what every consumer demands.

use crate::ir::Program;

/// A program that has passed every check.
#[derive(Clone, Copy, Debug)]
pub struct Validated<'p> {
    program: &'p Program,
}

impl<'p> Validated<'p> {
    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }
}

/// Checks a program.
///
/// # Errors
/// All that is wrong with it.
pub fn validate(program: &Program) -> Result<Validated<'_>, Vec<Invalid>> {
    Ok(Validated { program })
}

/// Something wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {}
