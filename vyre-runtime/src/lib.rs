//! The runtime of vyre: devices, streams, resident buffers and launches, on CUDA and on the CPU.
//!
//! This crate knows no syntax of Rust. Its folders, from the bottom:
//!
//! - `error`: the error of all calls.
//! - `backend`: the traits of a device and of its queues, which `cuda/` and `cpu/` implement.
//! - `load/`: compiled kernels and the cache of their loaded functions.
//! - `device/`: [`Device`] and [`Stream`].
//! - `memory/`: allocations, buffers, views, copies.
//! - `launch/`: a [`Launch`] checks its arguments, orders its stream after conflicting work, and hands
//!   them to a queue.

mod backend;
pub mod cpu;
mod cuda;
mod device;
mod error;
mod launch;
mod load;
mod memory;

pub use cudarc;
pub use device::Device;
pub use device::stream::Stream;
pub use error::{Error, LaunchLimit, Result};
pub use launch::Launch;
pub use load::kernel;
pub use memory::atomic::{AtomicElement, AtomicF32, AtomicF64};
#[cfg(feature = "half")]
pub use memory::atomic_pair::{AtomicBF16x2, AtomicF16x2};
pub use memory::buffer::DeviceBuffer;
pub use memory::element::Element;
pub use memory::slice2::{Slice2, SliceMut2};
pub use memory::view::{AtomicView, View, ViewMut};
pub use memory::view2::{View2, ViewMut2};
pub use vyre_abi::fault::{Fault, FaultKind};
