//! A launch as a queue takes it, and the report of a launch that faulted.

use std::ffi::c_void;
use std::sync::atomic::AtomicU64;

use smallvec::SmallVec;

use super::{Extent, Parameters};
#[cfg(feature = "check")]
use crate::checking::Checker;
use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;

/// A launch as a queue takes it.
pub(crate) struct Launching<'a> {
    pub(crate) kernel: &'a KernelDescription<'a>,
    /// The entry whose predicate holds for the parameters.
    pub(crate) entry: usize,
    pub(crate) extent: Extent,
    /// Runs the kernel on the CPU in place of its body; `None` for kernels of the crate.
    pub(crate) interpreter: Option<&'a dyn Interpreter>,
    /// Bytes of dynamic shared memory per block, which may be more than there are.
    pub(crate) shared_bytes: u64,
    pub(crate) parameters: &'a mut Parameters,
    /// The allocations that the kernel may write.
    pub(crate) writes: &'a [AllocationId],
    /// True if the stream is captured, and the launch is to be in the graph: it cannot report anything.
    pub(crate) captured: bool,
    /// The number of the device's last launch; this one gets the next.
    pub(crate) clock: &'a AtomicU64,
}

/// Runs kernels in place of a body for the CPU: those that a program has made while it runs have none, and in checking mode
/// none is used.
pub(crate) trait Interpreter: Send + Sync {
    /// Runs all blocks of a launch, and appends what they print.
    ///
    /// # Errors
    /// The fault of a thread, or the reason why the launch cannot go on.
    ///
    /// # Safety
    /// The parameters are those of the kernel that this runs: for each in order a pointer to its value or, for a
    /// slice, pointers to its address and to its length. Nothing else accesses their memory in a conflicting way.
    unsafe fn run(&self, launch: Interpreting<'_>, printed: &mut PrintedText) -> Result<()>;
}

/// A launch as an interpreter takes it.
#[cfg_attr(
    not(any(feature = "programs", feature = "check")),
    allow(dead_code, reason = "for interpreters, which come with the features")
)]
pub(crate) struct Interpreting<'a> {
    pub(crate) parameters: &'a [*const c_void],
    pub(crate) grid: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(crate) shared_bytes: u32,
    /// Looks for faults of the kernel.
    #[cfg(feature = "check")]
    pub(crate) checker: Option<&'a Checker>,
}

/// The output of an interpreted launch.
#[derive(Debug, Default)]
pub(crate) struct PrintedText {
    pub(crate) text: String,
    /// The bytes that it may still take.
    #[cfg_attr(
        not(any(feature = "programs", feature = "check")),
        allow(dead_code, reason = "for interpreters, which come with the features")
    )]
    pub(crate) room: u64,
    /// The outputs that did not fit.
    pub(crate) lost: u64,
}

/// The allocations that a launch may write.
pub(crate) type Writes = SmallVec<[AllocationId; 8]>;

/// The number of an allocation on its device.
pub(crate) type AllocationId = u64;

/// An allocation that a launch may have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    /// The number of the launch.
    pub(crate) launch: u64,
    pub(crate) allocation: AllocationId,
}

/// A launch that faulted.
#[derive(Debug)]
pub(crate) struct FaultedLaunch {
    /// Its number.
    pub(crate) launch: u64,
    /// Its fault, or [`Error::LostFault`] for all launches of which the device kept no record.
    pub(crate) error: Error,
    /// The allocations that it may have written.
    pub(crate) writes: Vec<Write>,
}
