//! The private middle of the compiler: a control-flow graph of values in static single assignment
//! form, on which the optimiser works and from which PTX is written.
//!
//! - [`function`]: functions, blocks and values, and how they are edited;
//! - [`origin`]: the accesses of the source that operations carry out;
//! - [`op`]: the operations, with what each computes and whether it has effects;
//! - [`value_list`]: the operands of operations that take any number of them;
//! - [`build`]: from a structured [`Program`](crate::ir::Program) to a function, all calls inlined;
//! - [`graph`]: order and dominators of the blocks;
//! - [`verify`]: the checks that tests run between passes;
//! - [`print`](mod@print), [`parse`](mod@parse): the text of a function, which dumps show and tests of passes are
//!   written in; [`syntax`] names its operations.
//!
//! **Values are machine words.** A value is a predicate, a 32- or 64-bit integer without sign, a
//! float or a pointer; structs, tuples and slices were broken up when the graph was built, and the
//! narrow integers became operations on 32 bits: an `i8` or `i16` stands in its register extended
//! by its sign, a `u8` or `u16` by zeros. The sign of an integer belongs to the operation.
//!
//! **Blocks have parameters** in place of phi nodes; an edge passes their values.
//!
//! **Roots float.** Constants, kernel arguments, special registers and addresses of variables
//! stand in no block: they exist once each and are available everywhere.

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

pub(crate) use crate::ir::Span;

/// A list of copies of a value. In macros nothing is optimised, and there `vec!` writes element by
/// element what `repeat` copies in ever larger pieces.
pub(crate) fn filled<T: Copy>(value: T, count: usize) -> Vec<T> {
    [value].repeat(count)
}
