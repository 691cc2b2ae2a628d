//! The compiler of vyre: the public IR [`ir::Program`], and the road from it to PTX.
//!
//! ```
//! use vyre_core::build::{self, slice, slice_mut, value};
//! use vyre_core::{compile, ir::Program, validate::validate};
//!
//! let mut program = Program::default();
//! let parameters = (value::<f32>("a"), slice::<f32>("x"), slice_mut::<f32>("y"));
//! build::kernel(&mut program, "saxpy", &[256], parameters, |k, (a, x, y)| {
//!     let i = k.linear_index();
//!     k.if_(i.lt(y.len()), || y.set(i, a * x.at(i) + y.at(i)));
//! });
//! let valid = validate(&program).expect("the builder makes valid programs");
//! let module = compile(&valid, &Default::default()).expect("it is small");
//! assert!(module.ptx.contains(".entry saxpy("));
//! ```
//!
//! The modules stand in the order of a kernel's road:
//!
//! - [`ir`]: programs, and the untyped builder;
//! - [`build`]: the typed builder;
//! - [`text`]: their text form, printed and parsed;
//! - [`validate`]: the checks whose result every consumer demands;
//! - [`semantics`]: scalar operations on constants;
//! - [`interp`]: the reference interpreter, which defines what a program does;
//! - `ssa`, `analysis`, `opt`, `ptx`: the private road down to PTX;
//! - [`compile`](fn@compile): the driver of these;
//! - [`module`]: what compiling yields;
//! - `inspect`, with the feature `verify`: the graph after each pass, for tools and tests.
//!
//! What a running kernel reports and prints, and what scalar operations compute, is in `vyre-abi`, which the
//! runtime shares. This crate knows no syntax of Rust, no CUDA driver and no files.

mod analysis;
mod append;
pub mod build;
mod driver;
#[cfg(feature = "verify")]
pub mod inspect;
pub mod interp;
pub mod ir;
pub mod module;
mod opt;
mod ptx;
pub mod semantics;
mod ssa;
pub mod text;
pub mod validate;

pub use driver::{CompileError, CompileOptions, compile};
