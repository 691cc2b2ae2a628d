//! GPU kernels as ordinary annotated Rust functions.
//!
//! This crate is what users import: the attribute [`kernel`], the device vocabulary ([`thread`],
//! [`block`], [`grid`], [`shared`], the atomics) and, from the runtime, devices, buffers and
//! launches. [`prelude`] has what most files want.

pub mod block;
pub mod grid;
mod index3;
pub mod prelude;
mod shared;
pub mod thread;

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;

pub use index3::Index3;
pub use shared::shared;
pub use vyre_macros::kernel;
pub use vyre_runtime::{
    AtomicElement, AtomicF32, AtomicF64, AtomicView, Device, DeviceBuffer, Element, Error, Fault, FaultKind, Launch,
    LaunchLimit, Result, Stream, View, ViewMut,
};

/// What a function of the vocabulary does when something other than a kernel calls it.
///
/// Kernels never call them: the compiler knows what they mean, on the GPU and on the CPU.
#[cold]
#[track_caller]
fn outside(name: &str) -> ! {
    panic!("`{name}` has a meaning only in a kernel; launch the kernel instead of calling it");
}
