//! The front end of vyre and its compiler together.
//!
//! Two callers share it: the attribute `#[vyre::kernel]` and [`compile`](fn@compile) for build
//! scripts. This crate knows no CUDA driver.

#![warn(missing_debug_implementations)]

mod assembler;
#[cfg(feature = "compile")]
mod compile;
mod expand;
mod inline_code;
#[cfg(feature = "compile")]
mod inspect;
#[cfg(feature = "compile")]
mod large_stack;
#[cfg(feature = "report")]
pub mod report;
#[cfg(feature = "report")]
pub mod toolkit;

#[cfg(feature = "compile")]
pub use compile::{Error, Kernels, Ptxas, compile, inline as targets};
/// The compiler as a library, for build scripts that make programs: as `vyre::ir`.
#[cfg(feature = "compile")]
pub mod ir {
    pub use vyre_core::ir::*;
    pub use vyre_core::{
        CompileError, CompileOptions, build, compile, contract, fast, interp, module, requirements, text, validate,
    };
}

pub use expand::{carried, configured, expand};
#[cfg(feature = "compile")]
pub use inspect::{cpu_body, inspect};
#[cfg(feature = "compile")]
pub use large_stack::on_large_stack;
#[cfg(feature = "compile")]
#[doc(inline)]
pub use vyre_front::file::{Complaint, Inspected};
#[doc(inline)]
pub use vyre_front::{atomics, constant, device, own_module};
