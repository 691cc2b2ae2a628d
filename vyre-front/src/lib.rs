//! The front end of vyre: from Rust syntax to [`Program`](vyre_ir::ir::Program), and from a
//! program to launchers and CPU bodies.
//!
//! Internal to vyre: it may change at any time. `vyre-build` joins it with the compiler, for the attribute
//! `#[vyre::kernel]` and for build scripts; cargo builds the two side by side. This crate knows no CUDA driver.

#![warn(missing_debug_implementations)]
// Templates of generated code are read token by token.
#![recursion_limit = "1024"]

/// An array of the texts of words.
macro_rules! words {
    ($($word:ident)*) => {
        [$(stringify!($word)),*]
    };
}

mod by_name;
mod check;
mod code;
pub mod driver;
mod editor;
mod errors;
mod expand;
#[cfg(feature = "files")]
pub mod file;
pub mod generate;
mod infer;
mod library;
mod lower;
mod modules;
#[cfg(all(test, feature = "files"))]
mod mutations;
mod options;
mod resolve;
mod rustc;
mod spans;
pub mod surface;
mod syntax;
#[cfg(test)]
mod tests;
mod types;

pub use errors::{Diagnostic, Look, Note, Rejected, look, nearest};
pub use expand::{Compile, atomics, carried, configured, constant, device, expand, own_module};
pub use resolve::names::Names;
pub use syntax::signature::camel_case;
