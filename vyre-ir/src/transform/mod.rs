//! Transforms of programs into programs.
//!
//! - [`contract`](fn@contract): fused multiply-adds in place of products and sums;
//! - [`fast`]: functions of mathematics by the approximate unit of GPUs;
//! - [`coarsen`]: entries whose threads compute several elements each.
//!
//! With the feature `programs`:
//!
//! - `externals`: constants that get their values while a program runs;
//! - `over_device`: kernels that read the extent of their launch on the device;
//! - `split`: kernels cut at their barriers of the grid;
//! - `unchecked`: the operations of a program that nobody checks.

pub mod coarsen;
mod contract;
#[cfg(feature = "programs")]
pub mod externals;
pub mod fast;
#[cfg(feature = "programs")]
pub mod over_device;
#[cfg(feature = "programs")]
pub mod split;
#[cfg(feature = "programs")]
pub mod unchecked;

pub use contract::{contract, contract_but};
