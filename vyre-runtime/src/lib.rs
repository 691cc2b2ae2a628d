//! The runtime of vyre: devices, streams, resident buffers and launches, on CUDA and on the CPU.
//!
//! This crate knows no syntax of Rust. From the top: a [`Launch`] checks its arguments, makes its
//! stream follow what must come first (`allocation`), and hands them to a queue (`backend`), which
//! is the [CPU](Device::cpu)'s or a [GPU](Device::cuda)'s.

mod allocation;
mod arguments;
mod atomic;
#[cfg(feature = "half")]
mod atomic_pair;
mod backend;
mod buffer;
mod cache;
mod constant;
mod cpu;
mod cuda;
mod device;
mod element;
mod error;
pub mod host;
pub mod kernel;
mod launch;
mod queries;
mod shape2;
mod slice2;
mod stream;
mod transfer;
mod view;
mod view2;

pub use atomic::{AtomicElement, AtomicF32, AtomicF64};
#[cfg(feature = "half")]
pub use atomic_pair::{AtomicBF16x2, AtomicF16x2};
pub use buffer::DeviceBuffer;
pub use device::Device;
pub use element::Element;
pub use error::{Error, LaunchLimit, Result};
pub use launch::Launch;
pub use slice2::{Slice2, SliceMut2};
pub use stream::Stream;
pub use view::{AtomicView, View, ViewMut};
pub use view2::{View2, ViewMut2};
pub use vyre_core::fault::{Fault, FaultKind};
