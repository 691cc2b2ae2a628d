//! Compiled kernels: their description, which generated code fills in, the functions that devices
//! have loaded for them, and loading each once.

pub(crate) mod cache;
pub(crate) mod kernel;
pub(crate) mod once;
