//! The validator. Every consumer requires its result, [`Validated`].
//!
//! A validated program guarantees:
//!
//! - **Handles.** Every handle refers to an existing element, every span to an existing file.
//! - **Types.** A type refers only to earlier types, so recursion over types terminates quickly
//!   ([`MAX_PARTS`]). Sizes fit ([`MAX_SIZE`]), so layouts do not overflow; arrays are not empty,
//!   and elements of arrays and slices and targets of references are not zero-sized and contain no
//!   references: references occur only in variables. Atomics occur only behind slices and
//!   references or in shared memory.
//! - **Trees.** Every expression and place is used at most once, and expressions and blocks are
//!   nested at most [`MAX_DEPTH`] deep, so recursion over bodies terminates quickly.
//! - **Typing.** Every node has its declared type, every operation accepts its operands, every
//!   projection applies to its type, and nothing is written through immutable references. Constants
//!   have no bits above their type's width.
//! - **Control flow.** Breaks and continues refer to enclosing loops; a function with a result does
//!   not end without one; functions do not recurse, and the call depth is at most [`MAX_CALLS`].
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
mod stmts;
mod types;
mod waits;

pub use accesses::{AccessId, AccessInfo, AccessKind, Accesses};
pub use error::{Entity, Immutable, Invalid, InvalidKind, Within};
pub use info::{AddressTaken, BodyInfo, Effects, EntryInfo, LocalInfo, ProgramInfo, Reach};

use crate::ir::Program;

/// Limit of the nesting of expressions and blocks of a body.
pub const MAX_DEPTH: u32 = 256;
/// Limit of the nesting of types.
pub const MAX_TYPE_DEPTH: u32 = 64;
/// Limit of the scalars of a kernel parameter passed by value.
pub const MAX_PARAMETER_SCALARS: u64 = 64;
/// Limit of the types that a type consists of, counted with repetition.
pub const MAX_PARTS: u32 = 4096;
/// The largest size of a type, in bytes.
pub const MAX_SIZE: u64 = 1 << 32;
/// Limit of the call depth.
pub const MAX_CALLS: u32 = 64;
/// Limit of the variables of a body in bytes: the local memory of a thread.
pub const MAX_LOCALS: u64 = 512 << 10;
/// Limit of the static shared memory of a kernel, in bytes.
pub const MAX_SHARED: u64 = 48 << 10;
/// Limit of the parameters of a kernel and its host constants in bytes: the hardware's 32764 less
/// the [`FaultChannel`](vyre_abi::fault::FaultChannel).
pub const MAX_PARAMETERS: u64 = 32_760 - size_of::<vyre_abi::fault::FaultChannel>() as u64;

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
