//! The compiler of vyre: the public IR [`ir::Program`] and what is done with it.
//!
//! The modules stand in the order of a kernel's road:
//!
//! - [`ir`]: programs, and a builder for them;
//! - [`text`]: their text form, printed and parsed;
//! - [`valid`]: the checks whose result every consumer demands;
//! - [`meaning`]: what each scalar operation computes, as plain Rust;
//! - [`interp`]: the reference interpreter, which defines what a program does;
//! - `ssa`, `opt`, `ptx`: the way down to PTX;
//! - [`compile`]: the driver of these;
//! - [`module`], [`fault`], [`print`](mod@print), [`format`](mod@format): what comes out, what a running kernel reports
//!   and prints, and how that reads.
//!
//! This crate knows no syntax of Rust, no CUDA driver and no files.

mod append;
mod compile;
pub mod fault;
pub mod format;
pub mod interp;
pub mod ir;
pub mod meaning;
pub mod module;
mod opt;
pub mod print;
mod ptx;
mod ssa;
pub mod text;
pub mod valid;

pub use compile::{CompileError, CompileOptions, compile};
