//! What each scalar operation computes, as plain Rust.
//!
//! The table in `operations.rs` holds one row for each [`UnaryOp`](crate::ir::UnaryOp) and
//! [`BinaryOp`](crate::ir::BinaryOp): its body on each class of types. From the row come
//!
//! - a generic function of the operation's name, such as [`add`], which the CPU bodies call;
//! - an arm of [`unary`] or [`binary`], which compute on [`Constant`](crate::ir::Constant)s for the
//!   interpreter and for constant folding.
//!
//! To add an operation, add the variant in `ir/ops.rs` and the row in `operations.rs`; the build
//! breaks wherever else it must be handled. All back ends give the bits that these functions give,
//! but for the sign and payload of a computed NaN, which are unspecified.

mod constant;
mod convert;
mod edge_values;
mod float;
mod half;
mod mbarrier;
mod mma;
mod native;
mod operations;
mod rounding;
#[cfg(test)]
mod tests;

pub use constant::{binary, unary};
pub use convert::{bitcast, cast};
pub use edge_values::nasty;
pub use float::{Float, MulAdd, mul_add, to_bits};
pub use half::{BF16, F16, Half};
pub use mbarrier::{arrived, barrier, opened};
pub use mma::{Fragments, of_matrices};
pub use native::Native;
pub use operations::{
    abs, add, and, ceil, copysign, count_ones, div, eq, floor, ge, gt, le, leading_zeros, lt, max, min, mul, mul_high,
    ne, neg, not, or, rem, reverse_bits, rotate_left, rotate_right, round, round_ties_even, same_bits, shl, shr, sqrt,
    sub, swap_bytes, trailing_zeros, traits, trunc, xor,
};
