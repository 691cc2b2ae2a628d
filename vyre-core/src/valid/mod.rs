//! The checks of a program. [`Validated`] is what every consumer demands.

use crate::ir::Program;

/// How deep expressions and blocks of a body may stand inside each other, and types inside types:
/// later stages recurse over them.
pub const MAX_DEPTH: u32 = 256;

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
