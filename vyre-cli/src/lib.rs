//! The parts of the tool `vyre` that tests of the workspace share: making a failing program small, and finding the
//! tools of the CUDA toolkit.

pub mod reduce;
pub mod toolkit;
