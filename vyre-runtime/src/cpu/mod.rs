//! The CPU back end, and what the CPU bodies of kernels call: launches, blocks, threads and memory.
//!
//! A CPU body is generated per kernel, from its program; here is what all of them share.
//!
//! - `queue` is the device and its queue: work is done when the call that queues it returns.
//! - [`launch`] runs the blocks of a launch, in the order of their numbers, on the calling thread
//!   and, where there is enough to do, on threads of rayon.
//! - [`BlockContext`] is one block on its way. All its threads run on one thread of the host, so
//!   shared memory needs no atomic access. A kernel without barriers runs one thread after the
//!   other ([`BlockContext::each`]); one with them is a future per thread, polled in turn
//!   ([`BlockContext::lockstep`]).
//! - [`Thread`] is what a body knows about its thread: indices, and how to fault.
//! - [`memory`] and [`atomic`] are accesses to global memory, which other blocks may touch at the
//!   same time.
//!
//! **Cooperative launches.** Blocks that wait for the whole grid run at the same time, each on a
//! thread of its own, and meet at a barrier of the host. A block that faults breaks it: whoever waits
//! there ends.
//!
//! **Clusters.** The blocks of a cluster run on threads of their own, too, but one at a time; see `cluster`.
//!
//! **Faults are values.** An access that fails records a [`HostFault`] and yields [`Left`], which
//! the body passes on by `?`; nothing unwinds. Of a launch the fault of the lowest block counts,
//! and of a block the first, so the report does not depend on timing. Blocks after the faulty
//! one are not started any more.
//!
//! **Progress.** The threads of a block progress together: a thread that waits in a loop for
//! another of its block gives way at each pass. A block may wait for blocks of lower numbers, which
//! have started before it. Nothing is promised to a block that waits for one of a higher number,
//! as on a GPU that is full. Loops that wait leave once a thread of the launch has faulted, so a
//! fault hangs nothing.

pub mod atomic;
mod block;
mod cluster;
mod fault;
mod grid;
mod launch;
mod mbarrier;
pub mod memory;
mod named_barrier;
mod pool;
pub mod print;
mod queue;
mod scheduler;
mod scratch;
#[cfg(test)]
mod tests;
mod thread;
mod warp;

pub use block::BlockContext;
pub use fault::{HostFault, Left, Run};
pub use launch::{Extents, launch};
pub use memory::{Memory, Slice};
pub(crate) use queue::{Cpu, queue};
pub use thread::{Thread, quotient};
pub use warp::Exchanged;

/// Whether the processor has a fused multiply-add, so that the copy of a body that uses it runs.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn has_fma() -> bool {
    is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx2")
}
