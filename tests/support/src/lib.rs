//! Helpers that the tests of several packages share.

pub mod address;
pub mod case;
pub mod counts;
mod edge_values;
pub mod many_loops;
pub mod ptx_machine;
pub mod ptxas;
pub mod random;
pub mod random_program;
pub mod refused;
pub mod snapshot;

pub use edge_values::edge_values;
