//! The CPU back end: work is done when the call that queues it returns.
//!
//! - `queue` is the device and its queues; `shared` is what they share.
//! - `launch` runs the blocks of a launch, in the order of their numbers, on the calling thread and,
//!   where there is enough to do, on helpers from `pool`.
//!
//! **Cooperative launches.** Blocks that wait for the whole grid run at the same time, each on a
//! thread of its own, and meet at a barrier of the host. A block that faults breaks it, which ends
//! all blocks that wait there.
//!
//! **Clusters.** The blocks of a cluster run on threads of their own, too, but one at a time.
//!
//! **Faults.** The fault of the lowest block of a launch counts, and in a block the first, so the report does
//! not depend on timing. Blocks after the faulty one are not started any more.
//!
//! **Progress.** A block may wait for any other: one that waits gives way, up to a limit of threads. Where all wait, each
//! faults. See [`waiting`](crate::body::waiting).

mod launch;
mod pool;
mod queue;
mod shared;
#[cfg(test)]
mod tests;

pub(crate) use queue::Cpu;
