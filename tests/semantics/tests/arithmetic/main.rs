//! Scalar operations: every one on every type, for all pairs of edge values.

#[macro_use]
mod operations;

mod floats;
mod half;
mod integers;
mod pairs;
mod ptx_halves;
