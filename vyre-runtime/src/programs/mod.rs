//! Programs that are made while a program runs, made ready for a device.
//!
//! - `given` is a program to compile; `digest` identifies one by its text.
//! - `kernel` describes its kernels as generated code describes those of a crate.
//! - `compiled` is a program that was checked and, for a GPU, compiled.
//! - `split` has the parts of a kernel that is cut at its barriers of the grid.
//! - `cache` keeps compiled programs, and has each compiled once.

pub(crate) mod cache;
pub(crate) mod compiled;
pub(crate) mod digest;
pub(crate) mod given;
mod kernel;
pub(crate) mod options;
pub(crate) mod split;
