//! The front end of vyre: from Rust syntax to [`Program`](vyre_core::ir::Program), and from a
//! program to launchers, CPU bodies and embedded PTX.
//!
//! Two callers share it: the attribute `#[vyre::kernel]` and [`compile`](fn@compile) for build
//! scripts. This crate knows no CUDA driver.

mod attributes;
mod circles;
#[cfg(feature = "compile")]
mod compile;
mod errors;
mod expand;
pub mod front;
pub mod generate;
mod host_constant;
mod instances;
mod module;
#[cfg(all(test, feature = "compile"))]
mod mutations;
mod spans;
mod standing;
pub mod surface;
mod surroundings;

#[cfg(feature = "compile")]
pub use compile::{Complaint, Error, compile};
pub use expand::{carried, constant, device, expand};
