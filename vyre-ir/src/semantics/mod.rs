//! Scalar operations on constants, for the interpreter and for constant folding.
//!
//! The results are those of the table in [`vyre_abi::semantics`]. This module adds half precision by
//! way of `f32`, canonical NaNs and conversions.

mod constant;
mod convert;
mod float;
#[cfg(test)]
mod tests;

pub use constant::{binary, mul_add, unary};
pub use convert::{bitcast, cast};
