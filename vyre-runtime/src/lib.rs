//! The runtime of vyre: devices, streams, resident buffers and launches, on CUDA and on the CPU.
//!
//! This crate knows no syntax of Rust.

pub mod host;
pub mod kernel;
