//! The validator. Every consumer requires its result, [`Validated`].
//!
//! A validated program guarantees:
//!
//! - **Handles.** Every handle refers to an existing element, every span to an existing file.
//! - **Types.** A type refers only to earlier types, so recursion over types terminates quickly
//!   ([`MAX_PARTS`](crate::ir::limits::MAX_PARTS)). Sizes fit ([`MAX_SIZE`](crate::ir::limits::MAX_SIZE)), so layouts do not overflow; arrays are not empty,
//!   and elements of arrays and slices and targets of references are not zero-sized and contain no
//!   references: references occur only in variables. Atomics occur only behind slices and
//!   references or in shared memory.
//! - **Trees.** Every expression and place is used at most once, and expressions and blocks are
//!   nested at most [`MAX_DEPTH`](crate::ir::limits::MAX_DEPTH) deep, so recursion over bodies terminates quickly.
//! - **Typing.** Every node has its declared type, every operation accepts its operands, every
//!   projection applies to its type, and nothing is written through immutable references. Constants
//!   have no bits above their type's width.
//! - **Control flow.** Breaks and continues refer to enclosing loops; a function with a result does
//!   not end without one; functions do not recurse, and the call depth is at most [`MAX_CALLS`](crate::ir::limits::MAX_CALLS).
//! - **References.** A reference variable is initialised before it is read on every path, and no
//!   function returns a reference to its own variables: no reference dangles.
//! - **Kernels.** Parameters can be passed, blocks and shared memory fit the hardware, symbols are
//!   unique and valid in PTX; the last entry, and no other, has no predicate; predicates can be
//!   evaluated on the host without a fault.
//!
//! It does **not** guarantee that indices are in bounds, divisors are not zero, barriers are
//! uniform, threads do not race, or loops terminate. A body may contain unused expressions; they
//! are checked like the others, but may form cycles.

mod accesses;
mod body;
#[cfg(feature = "programs")]
mod canonical;
mod collect;
mod display;
mod error;
mod exprs;
mod flow;
mod handles;
mod info;
mod intrinsics;
mod kernels;
mod places;
mod polls;
mod stmts;
mod types;
mod waits;

pub use accesses::{AccessId, AccessInfo, AccessKind, Accesses};
pub use error::{Entity, Immutable, Invalid, InvalidKind, Within};
pub use info::{AddressTaken, BodyInfo, Effects, EntryInfo, LocalInfo, ProgramInfo, Reach};

use crate::ir::Program;

/// A validated program, with the facts collected during validation.
#[derive(Debug)]
pub struct Validated<'p> {
    program: &'p Program,
    info: ProgramInfo<'p>,
}

impl<'p> Validated<'p> {
    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The facts about it.
    pub fn info(&self) -> &ProgramInfo<'p> {
        &self.info
    }
}

/// Validates a program.
///
/// # Errors
/// All errors found. Dangling handles and broken types are reported before all others, because the
/// other checks rely on them.
pub fn validate(program: &Program) -> Result<Validated<'_>, Vec<Invalid>> {
    let mut errors = Vec::new();
    handles::check(program, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let facts = types::check(program, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    types::check_data(program, &facts, &mut errors);
    let mut info = body::check(program, &facts, &mut errors);
    kernels::check(program, &facts, &mut info, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    info.find_effects(program);
    Ok(Validated { program, info })
}
