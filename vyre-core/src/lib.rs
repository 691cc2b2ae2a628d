//! The compiler of vyre: the public IR [`ir::Program`] and what is done with it.
//!
//! The modules stand in the order of a kernel's road:
//!
//! - [`ir`]: programs, and a builder for them;
//! - [`text`]: their text form, printed and parsed;
//! - [`validate`]: the checks whose result every consumer demands;
//! - [`semantics`]: what each scalar operation computes, as plain Rust;
//! - [`interp`]: the reference interpreter, which defines what a program does;
//! - `ssa`, `analysis`, `opt`, `ptx`: the private road down to PTX;
//! - [`compile`](fn@compile): the driver of these;
//! - [`module`], [`fault`], [`print`](mod@print), [`format`](mod@format): what comes out, what a running kernel reports
//!   and prints, and how that reads;
//! - `inspect`, with the feature `verify`: the graph after each pass, for tools and tests.
//!
//! This crate knows no syntax of Rust, no CUDA driver and no files.

mod analysis;
mod append;
mod driver;
pub mod fault;
pub mod format;
#[cfg(feature = "verify")]
pub mod inspect;
pub mod interp;
pub mod ir;
pub mod module;
mod opt;
pub mod print;
mod ptx;
pub mod semantics;
mod ssa;
pub mod text;
pub mod validate;

pub use driver::{CompileError, CompileOptions, compile};
