//! Compiled kernels: their description, which generated code fills in, the functions that devices
//! have loaded for them, and loading each once. With the feature `programs`, lowering a kernel again.

pub(crate) mod cache;
pub(crate) mod kernel;
#[cfg(feature = "programs")]
pub(crate) mod lowering;
pub(crate) mod once;
