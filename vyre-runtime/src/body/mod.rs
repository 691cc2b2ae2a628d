//! The library of CPU bodies: blocks, threads, warps and memory.
//!
//! A CPU body is generated per kernel, from its program; here is what all of them share. Without the feature `cpu` there are
//! none, and [`memory`] is left, which predicates of entries name.
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

#[cfg(feature = "cpu")]
pub mod atomic;
#[cfg(feature = "cpu")]
mod block;
#[cfg(feature = "cpu")]
pub(crate) mod cluster;
#[cfg(feature = "cpu")]
mod exchange;
#[cfg(feature = "cpu")]
pub(crate) mod fault;
#[cfg(feature = "cpu")]
pub(crate) mod grid;
#[cfg(feature = "cpu")]
mod lanes;
#[cfg(feature = "cpu")]
mod mbarrier;
pub mod memory;
#[cfg(feature = "cpu")]
mod named_barrier;
#[cfg(feature = "cpu")]
pub mod print;
#[cfg(feature = "cpu")]
mod regions;
#[cfg(feature = "cpu")]
mod rows;
#[cfg(feature = "cpu")]
mod scheduler;
#[cfg(feature = "cpu")]
pub(crate) mod scratch;
#[cfg(feature = "cpu")]
mod stack;
#[cfg(feature = "cpu")]
mod thread;
#[cfg(feature = "cpu")]
pub(crate) mod waiting;
#[cfg(feature = "cpu")]
mod warp;

#[cfg(feature = "cpu")]
pub(crate) use block::Among;
#[cfg(feature = "cpu")]
pub use block::{BlockContext, Extents};
#[cfg(feature = "cpu")]
pub use exchange::{balloted, reduced, shuffled};
#[cfg(feature = "cpu")]
pub use fault::{HostFault, Left, Run};
#[cfg(feature = "cpu")]
pub use lanes::{lane, lanes, select};
pub use memory::{Memory, Slice};
#[cfg(feature = "cpu")]
pub use regions::{Kept, Threads};
#[cfg(feature = "cpu")]
pub use rows::store_lanes;
#[cfg(feature = "cpu")]
pub use stack::{boxed, with_stack};
#[cfg(feature = "cpu")]
pub use thread::{Thread, quotient};
#[cfg(feature = "cpu")]
pub use warp::Exchanged;

/// True if the processor has a fused multiply-add, so that the copy of a body that uses it runs.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn has_fma() -> bool {
    is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx2")
}
