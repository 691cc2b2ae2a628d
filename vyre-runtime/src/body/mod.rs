//! The library of CPU bodies: blocks, threads, warps and memory.
//!
//! A CPU body is generated per kernel, from its program; here is what all of them share.
//!
//! - [`BlockContext`] is one block on its way. All its threads run on one thread of the host, so
//!   shared memory needs no atomic access. A kernel without barriers runs one thread after the
//!   other ([`BlockContext::each`]). One with barriers that all threads of a block reach together runs so from one
//!   barrier to the next ([`Threads`]); any other is a future per thread, polled in turn by `scheduler`
//!   ([`BlockContext::lockstep`]).
//! - [`Thread`] is what a body knows about its thread: indices, and how to fault.
//! - `exchange`, `warp`, `named_barrier`, `mbarrier`, `grid`, `cluster`, `waiting` are the ways in which threads and blocks wait
//!   for each other.
//! - [`memory`] and [`atomic`] are accesses to global memory, which other blocks may touch at the
//!   same time.
//!
//! **Faults are values.** An access that fails records a [`HostFault`] and yields [`Left`], which
//! the body passes on by `?`; nothing unwinds.
//!
//! **Progress.** The threads of a block progress together: a thread that waits in a loop for
//! another of its block gives way at each pass, and a block that waits for another block gives way to it. Loops that wait
//! leave once a thread of the launch has faulted, so a fault hangs nothing.

pub mod atomic;
mod block;
pub(crate) mod cluster;
mod exchange;
pub(crate) mod fault;
pub(crate) mod grid;
mod lanes;
mod mbarrier;
pub mod memory;
mod named_barrier;
pub mod print;
mod regions;
mod scheduler;
pub(crate) mod scratch;
mod stack;
mod thread;
pub(crate) mod waiting;
mod warp;

pub(crate) use block::Among;
pub use block::{BlockContext, Extents};
pub use fault::{HostFault, Left, Run};
pub use lanes::lane;
pub use memory::{Memory, Slice};
pub use regions::{Kept, Threads};
pub use stack::{boxed, with_stack};
pub use thread::{Thread, quotient};
pub use warp::Exchanged;

/// True if the processor has a fused multiply-add, so that the copy of a body that uses it runs.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn has_fma() -> bool {
    is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx2")
}
