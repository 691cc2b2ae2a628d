//! What the tests of several packages share.

pub mod ptx_machine;
pub mod ptxas;
pub mod random_program;
pub mod snapshot;
