//! The private middle of the compiler: a control-flow graph in SSA form, the input of the optimiser
//! and of PTX emission.
//!
//! - [`function`]: functions, blocks and values, and their editing;
//! - [`origin`]: the accesses of the source that operations implement;
//! - [`op`]: the operations with their semantics and effects;
//! - [`ty`]: the types of values, and state spaces;
//! - [`value_list`]: the operands of operations with any number of them;
//! - [`value_table`]: a hash table from operations to values;
//! - [`build`]: SSA construction from a structured [`Program`](vyre_ir::ir::Program), with all calls
//!   inlined;
//! - [`graph`]: order and dominators of the blocks;
//! - [`verify`]: the checks that tests run between passes;
//! - [`print`](mod@print), [`parse`](mod@parse): the text form of a function, for dumps and tests
//!   of passes; [`syntax`] names its operations.
//!
//! **Values are machine words.** A value is a predicate, a 32- or 64-bit integer without sign, a
//! float or a pointer; structs, tuples and slices are decomposed during construction, and narrow
//! integers are computed in 32 bits: the register of an `i8` or `i16` is sign-extended, that of a
//! `u8` or `u16` zero-extended. The sign of an integer belongs to the operation.
//!
//! **Blocks have parameters** instead of phi nodes; an edge passes arguments.
//!
//! **Roots float.** Constants, kernel arguments, special registers and addresses of variables
//! belong to no block: each exists once and is available everywhere.

pub(crate) mod build;
pub(crate) mod function;
pub(crate) mod graph;
pub(crate) mod op;
pub(crate) mod origin;
#[cfg(feature = "verify")]
pub(crate) mod parse;
#[cfg(feature = "verify")]
pub(crate) mod print;
#[cfg(feature = "verify")]
mod syntax;
#[cfg(test)]
mod tests;
pub(crate) mod ty;
pub(crate) mod value_list;
pub(crate) mod value_table;
#[cfg(feature = "verify")]
pub(crate) mod verify;

pub(crate) use function::{Block, Edge, Function, LocalObject, TableValues, Terminator, Value};
pub(crate) use ty::{Space, Ty};

pub(crate) use vyre_ir::ir::Span;

/// A vector of copies of a value. In unoptimised macros `vec!` writes element by element, while
/// `repeat` copies ever larger pieces.
pub(crate) fn filled<T: Copy>(value: T, count: usize) -> Vec<T> {
    [value].repeat(count)
}
