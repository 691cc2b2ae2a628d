//! Definitions shared by the compiler and the runtime of vyre.
//!
//! From the bottom:
//!
//! - [`limits`]: limits that the compiler relies on and a launch keeps;
//! - [`math`]: the functions of mathematics, and their source, which kernels call;
//! - [`scalar`]: scalar types and values;
//! - [`ops`]: operations that the runtime executes too: on scalars, and warp-level operations;
//! - [`fault`], [`print`](mod@print): the records by which a running kernel reports faults and
//!   prints;
//! - [`semantics`]: the result of every scalar operation, as plain Rust;
//! - [`format`](mod@format): message templates;
//! - [`assumption`]: inequalities about a launch, which the host evaluates;
//! - [`architecture`]: what a compute capability has;
//! - [`target`]: the architectures of machine code;
//! - [`kernel`]: the description of a compiled kernel;
//! - [`order`]: one sort for all;
//! - [`list`]: lists made of lists.
//!
//! A user's build compiles this crate twice: for the compiler, which runs in the macros,
//! unoptimised, and for the runtime in the user's profile. It stays small for that reason, and has
//! no dependencies. It knows nothing of Rust syntax, the IR, CUDA or files.

#![warn(missing_debug_implementations)]

pub mod architecture;
pub mod assumption;
pub mod fault;
pub mod format;
pub mod kernel;
pub mod limits;
pub mod list;
pub mod math;
pub mod ops;
pub mod order;
pub mod print;
pub mod scalar;
pub mod semantics;
pub mod target;
