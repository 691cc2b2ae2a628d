//! The front end of vyre: from Rust syntax to [`Program`](vyre_ir::ir::Program), and from a
//! program to launchers, CPU bodies and embedded PTX.
//!
//! Two callers share it: the attribute `#[vyre::kernel]` and [`compile`](fn@compile) for build
//! scripts. This crate knows no CUDA driver.

#![warn(missing_debug_implementations)]
// Templates of generated code are read token by token.
#![recursion_limit = "1024"]

/// An array of the texts of words.
macro_rules! words {
    ($($word:ident)*) => {
        [$(stringify!($word)),*]
    };
}

mod assembler;
mod by_name;
mod check;
mod code;
#[cfg(feature = "compile")]
mod compile;
pub mod driver;
mod editor;
mod errors;
mod expand;
pub mod generate;
mod infer;
mod inline_code;
#[cfg(feature = "compile")]
mod inspect;
#[cfg(feature = "compile")]
mod large_stack;
mod library;
mod lower;
mod modules;
#[cfg(all(test, feature = "compile"))]
mod mutations;
mod options;
mod resolve;
mod rustc;
mod spans;
pub mod surface;
mod syntax;
#[cfg(feature = "toolkit")]
pub mod toolkit;
mod types;

#[cfg(feature = "compile")]
pub use compile::file::Inspected;
#[cfg(feature = "compile")]
pub use compile::{Complaint, Error, Kernels, Ptxas, compile, inline as targets};
/// The compiler as a library, for build scripts that make programs: as `vyre::ir`.
#[cfg(feature = "compile")]
pub mod ir {
    pub use vyre_core::ir::*;
    pub use vyre_core::{
        CompileError, CompileOptions, build, compile, contract, fast, interp, module, requirements, text, validate,
    };
}

pub use errors::{Diagnostic, Note, Rejected};
pub use expand::{atomics, carried, configured, constant, device, expand, own_module};
#[cfg(feature = "compile")]
pub use inspect::{cpu_body, inspect};
#[cfg(feature = "compile")]
pub use large_stack::on_large_stack;
pub use resolve::names::Names;
