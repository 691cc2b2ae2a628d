//! Compiled kernels: their description, which generated code fills in, and the functions that devices
//! have loaded for them.

pub(crate) mod cache;
pub(crate) mod kernel;
