//! The checks of a program. [`Validated`] is what every consumer demands.
//!
//! Of a validated program is known:
//!
//! - **Handles.** Every handle names an element that exists, every span a file that exists.
//! - **Types.** A type mentions earlier types alone, so recursion over types ends, soon
//!   ([`MAX_PARTS`]). Sizes fit ([`MAX_SIZE`]), so layouts do not overflow; arrays have elements, and
//!   what arrays, slices and references hold has a size and no references in it: references live in
//!   variables alone. Atomics live behind slices and references or in shared
//!   memory alone.
//! - **Trees.** Every expression and place is mentioned at most once, and expressions and blocks
//!   are nested at most [`MAX_DEPTH`] deep, so recursion over bodies ends, soon.
//! - **Meaning.** Every node has the type that it states, every operation accepts its operands, every
//!   path fits the type that it goes through, and nothing is written through what is immutable.
//!   Constants have no bits beyond their type.
//! - **Control.** Breaks and continues name loops around them; a function with a result does not end
//!   without one; functions do not recurse, and call each other at most [`MAX_CALLS`] deep.
//! - **References.** A variable that holds a reference is written before it is read on every path,
//!   and no function returns a reference to its own variables: every reference has a referent.
//! - **Kernels.** Parameters can be passed, blocks and shared memory fit the hardware, symbols are
//!   unique and names in PTX; the last entry, and no other, holds always; predicates can be evaluated
//!   on the host without a fault.
//!
//! What is **not** known: that indices are in bounds, divisors are not zero, barriers are uniform,
//! threads do not race, loops end. Expressions that no statement mentions may be in a body; they are
//! checked like the others, but may mention each other in circles.

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

/// How deep expressions and blocks of a body may stand inside each other.
pub const MAX_DEPTH: u32 = 256;
/// How deep types may stand inside each other.
pub const MAX_TYPE_DEPTH: u32 = 64;
/// How many scalars a parameter of a kernel may have that is passed by value.
pub const MAX_PARAMETER_SCALARS: u64 = 64;
/// How many types a type may consist of, counting each as often as it is mentioned.
pub const MAX_PARTS: u32 = 4096;
/// The largest size of a type, in bytes.
pub const MAX_SIZE: u64 = 1 << 32;
/// How deep functions may call each other.
pub const MAX_CALLS: u32 = 64;
/// What the variables of a body may take together, in bytes: the local memory of a thread.
pub const MAX_LOCALS: u64 = 512 << 10;
/// Static shared memory of a kernel, in bytes.
pub const MAX_SHARED: u64 = 48 << 10;
/// What the parameters of a kernel may take together, and with them the tables whose values a launch gives, in
/// bytes: the hardware's 32764 less the
/// [`FaultChannel`](vyre_abi::fault::FaultChannel).
pub const MAX_PARAMETERS: u64 = 32_760 - size_of::<vyre_abi::fault::FaultChannel>() as u64;

/// A program that has passed every check, with the facts that checking it has found.
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

/// Checks a program.
///
/// # Errors
/// All that is wrong with it. Missing elements and broken types are reported before all else,
/// because the other checks rest on them.
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
