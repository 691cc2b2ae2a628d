//! The compiler of vyre: the public IR [`ir::Program`], and its compilation to PTX.
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
//! The modules in the order in which a kernel passes through them:
//!
//! - [`ir`]: programs, and the untyped builder;
//! - [`build`]: the typed builder;
//! - [`text`]: their text form, printed and parsed;
//! - [`contract`](fn@contract): fused multiply-adds in place of products and sums;
//! - [`fast`]: functions of mathematics by the approximate unit of GPUs;
//! - [`coarsen`]: entries whose threads compute several elements each;
//! - [`externals`]: constants that get their values while a program runs;
//! - [`over_device`](mod@over_device): kernels that read the extent of their launch on the device;
//! - [`split`](mod@split): kernels cut at their barriers of the grid;
//! - [`validate`]: the validator, whose result every consumer requires;
//! - [`requirements`](mod@requirements): what a program needs of a device, before it is compiled;
//! - [`unchecked`](mod@unchecked): the operations of a program that nobody checks;
//! - [`semantics`]: scalar operations on constants;
//! - [`interp`]: the reference interpreter, which defines the meaning of programs;
//! - `ssa`, `analysis`, `opt`, `ptx`: the private passes down to PTX;
//! - [`compile`](fn@compile): the driver;
//! - [`module`]: the output of the compiler;
//! - `inspect`, with the feature `verify`: the graph after each pass, for tools and tests.
//!
//! Fault and print records, and the semantics of scalar operations, are in `vyre-abi`, which the
//! runtime shares. This crate knows nothing of Rust syntax, the CUDA driver or files.

#![warn(missing_debug_implementations)]

mod analysis;
mod append;
pub mod build;
pub mod coarsen;
mod contract;
mod driver;
pub mod externals;
pub mod fast;
#[cfg(feature = "verify")]
pub mod inspect;
pub mod interp;
pub mod ir;
pub mod module;
mod opt;
pub mod over_device;
mod ptx;
pub mod requirements;
pub mod semantics;
pub mod split;
mod ssa;
pub mod text;
pub mod unchecked;
pub mod validate;

pub use contract::contract;
pub use driver::{CompileError, CompileOptions, compile, compile_for_all};
