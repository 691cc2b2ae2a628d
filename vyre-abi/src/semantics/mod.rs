//! The result of every scalar operation, as plain Rust.
//!
//! The table in `table.rs` has one row per [`UnaryOp`](crate::ops::UnaryOp) and
//! [`BinaryOp`](crate::ops::BinaryOp) with its body for each class of types. Each row generates
//!
//! - a generic function of the operation's name, such as [`add`], called by the CPU code of
//!   kernels;
//! - its functions on the bits of constants, from [`words::unary`] or [`words::binary`], called by the
//!   compiler's interpreter and constant folding.
//!
//! To add an operation, add the variant in `ops/scalar.rs` and the row in `table.rs`; the build
//! breaks at every other place that must handle it. All back ends give the same bits as these
//! functions, except for approximations, and for the sign and payload of a NaN, which are unspecified.
//! No operation depends on them: to all that read a sign, bits or an order, a NaN is the canonical one,
//! see [`to_bits`]. They show in memory alone.

mod exchange;
mod float;
mod half;
mod matrix;
pub mod mbarrier;
pub mod named_barrier;
mod native;
mod rounding;
mod table;

pub use exchange::Exchange;
pub use float::{Float, MulAdd, mul_add, to_bits};
pub use half::{BF16, F16, Half};
pub use matrix::{Fragments, MatrixOp, matrix_op};
pub use native::Native;
pub use table::{
    abs, add, and, approx_cos, approx_div, approx_exp2, approx_log2, approx_recip, approx_rsqrt, approx_sin,
    approx_sqrt, approx_tanh, ceil, copysign, count_ones, div, eq, floor, ge, gt, le, leading_zeros, lt, max, min, mul,
    mul_high, ne, neg, normal_recip, normal_rsqrt, normal_sqrt, not, or, rem, reverse_bits, rotate_left, rotate_right,
    round, round_ties_even, same_bits, shl, shr, sqrt, sub, swap_bytes, trailing_zeros, traits, trunc, words, xor,
};
