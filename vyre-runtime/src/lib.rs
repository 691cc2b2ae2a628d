//! The runtime of vyre: devices, streams, resident buffers and launches, on CUDA and on the CPU.
//!
//! This crate knows no syntax of Rust. Its folders, from the bottom:
//!
//! - `sync`: locks without poisoning.
//! - `trace`: spans, for `tracing` and for profilers.
//! - `error`: the error of all calls.
//! - `profile`: what devices are and have, and a table of GPUs.
//! - `stats`: counters, and amounts of memory.
//! - [`body`]: what the CPU bodies of kernels call. With the feature `cpu`.
//! - `load/`: compiled kernels, and the functions that devices have loaded for them.
//! - `checking/`: checking mode, as the environment asks for it, and the state of a checked device.
//! - `backend/`: the traits of a device and of its queues, and the limits on launches.
//! - `interpret/`: kernels that the reference interpreter runs.
//! - `programs/`: programs that are made at run time: compiled and cached.
//! - `cuda/` and `cpu/`: the two back ends.
//! - `device/`: [`Device`] and [`Stream`].
//! - `memory/`: allocations, buffers, views, copies.
//! - `launch/`: a [`Launch`] checks its arguments, orders its stream after conflicting work, and hands
//!   them to a queue.
//! - `sequence/`: launches and copies that are recorded and run later. With the feature `graphs`.
//! - `pipeline/`: programs that are made at run time, called on bytes. With the feature `programs`.
//!
//! Each imports only from those above it in this list.

#![warn(missing_debug_implementations)]
#![cfg_attr(
    not(all(feature = "cpu", feature = "graphs")),
    allow(
        dead_code,
        unused_imports,
        reason = "many layers have a function that recordings or the CPU alone call"
    )
)]

mod backend;
pub mod body;
mod checking;
mod cpu;
mod cuda;
mod device;
mod error;
#[cfg(any(feature = "programs", feature = "check"))]
mod interpret;
mod launch;
mod load;
mod memory;
#[cfg(feature = "programs")]
mod pipeline;
mod profile;
#[cfg(feature = "programs")]
mod programs;
#[cfg(feature = "graphs")]
mod sequence;
mod stats;
mod sync;
mod trace;

/// The contract with generated code.
pub mod kernel {
    pub use crate::launch::arguments::Arguments;
    pub use crate::launch::constant::{constant, set_constant};
    pub use crate::launch::kernel::Kernel;
    pub use crate::launch::run;
    pub use crate::load::cache::KernelCache;
    pub use crate::load::kernel::{HostBody, HostConstant, KernelDescription, KernelInfo};
    pub use crate::memory::buffer::download_own;
    pub use crate::memory::element::{is_field, is_part, put};
    pub use crate::memory::external::{Noted, Work, enqueue, mark, to_end, wait_apart, with_default_stream, work_of};
    pub use crate::memory::raw::{bytes, bytes_mut, reinterpret, reinterpret_mut, uninitialized, zeros};
    #[cfg(feature = "graphs")]
    pub use crate::sequence::launch::sealed::Sealed;
}

/// The reports of [checking mode](crate::Device::checked).
#[cfg(feature = "check")]
pub mod check {
    pub use crate::error::check::Findings;
    pub use vyre_ir::interp::check::{Action, Does, Kind, Party, Report};
}

pub use cudarc;
pub use device::Device;
pub use device::catalogue::{BackendInfo, MissingDevice, Version};
pub use device::event::Event;
pub use device::stream::Stream;
#[cfg(feature = "programs")]
pub use device::support::{Need, Unsupported};
pub use error::ranks::RankProblem;
pub use error::{ArgumentProblem, CaptureProblem, Error, HandleProblem, LaunchLimit, LostDevice, RaceProblem, Result};
pub use launch::Launch;
#[cfg(feature = "programs")]
pub use launch::over_device::OverDevice;
pub use launch::pending::Pending;
pub use launch::timing::Timing;
pub use memory::atomic::{Atomic, AtomicElement, AtomicF32, AtomicF64, Atomics};
#[cfg(feature = "half")]
pub use memory::atomic_pair::{AtomicBF16x2, AtomicF16x2};
pub use memory::buffer::DeviceBuffer;
#[cfg(feature = "bytemuck")]
pub use memory::cast::{cast, cast_mut};
pub use memory::counted::Count;
#[cfg(feature = "dlpack")]
pub use memory::dlpack;
pub use memory::element::Element;
pub use memory::foreign::{Foreign, Lent, LentMut};
pub use memory::handles::{Handle, Handles};
pub use memory::pinned::{Pinned, Transfer};
pub use memory::slice::Slice;
pub use memory::slice2::{Slice2, SliceMut2};
pub use memory::uninit::Uninit;
pub use memory::view::{AtomicView, View, ViewMut};
pub use memory::view2::{View2, ViewMut2};
#[cfg(feature = "programs")]
pub use pipeline::{
    Pipeline, PipelineCache, Plain,
    argument::Argument,
    batch::Batch,
    call::Call,
    config::Config,
    domain::Domain,
    manifest::Manifest,
    outputs::{Output, Outputs},
};
pub use profile::Profile;
#[cfg(feature = "programs")]
pub use programs::given::GivenProgram;
#[cfg(feature = "graphs")]
pub use sequence::{
    Sequence,
    graph::Graph,
    launch::{LaunchNode, Recordable},
    readback::{Place, Readback},
};
pub use stats::{CacheAudit, MemoryUsage, Stats};
pub use vyre_abi::fault::{Fault, FaultKind};
