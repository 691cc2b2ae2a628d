//! What the compiler and the runtime of vyre share.
//!
//! From the bottom:
//!
//! - [`scalar`]: scalar types and values;
//! - [`ops`]: operations that the runtime carries out as well: on scalars, and among the threads of a warp;
//! - [`fault`], [`print`](mod@print): the records by which a running kernel reports faults and prints;
//! - [`semantics`]: the result of every scalar operation, as plain Rust;
//! - [`format`](mod@format): message templates;
//! - [`kernel`]: the description of a compiled kernel, and limits.
//!
//! A user's build compiles this crate twice: for the compiler, which runs in the macros, unoptimised, and for
//! the runtime in the user's profile. So it stays small, and depends on nothing: no syntax of Rust, no
//! IR, no CUDA and no files.

pub mod fault;
pub mod format;
pub mod kernel;
pub mod ops;
pub mod print;
pub mod scalar;
pub mod semantics;
