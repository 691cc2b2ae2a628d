//! Kernels on values of glam, num-complex and ndarray.

pub mod matrices;
pub mod points;
