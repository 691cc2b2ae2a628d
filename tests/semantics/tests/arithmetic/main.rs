//! Scalar operations: every one on every type, for all pairs of edge values.

mod floats;
mod half;
mod integers;
mod pairs;
mod ptx_halves;
