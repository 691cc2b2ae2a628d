//! Kernels that the reference interpreter runs on the memory of buffers: those of programs that are made at run time, on the
//! CPU, and in checking mode all.
//!
//! - `signature` is what kernels take; `arguments` reads it as a launch passes it.
//! - `run` runs a kernel.
//! - `known` has the programs of a crate's kernels, for checking mode.

mod arguments;
#[cfg(feature = "check")]
mod known;
mod run;
pub(crate) mod signature;

#[cfg(feature = "check")]
pub(crate) use known::interpreter_of;
#[cfg(feature = "programs")]
pub(crate) use run::Interpreted;
