//! The CPU back end: work is done when the call that queues it returns.
//!
//! - `queue` is the device and its queues; `shared` is what they share.
//! - `launch` runs the blocks of a launch, in the order of their numbers, on the calling thread and,
//!   where there is enough to do, on helpers from `pool`.
//!
//! Without the feature `cpu` there are no bodies to run, and each use of the device is refused.
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

#[cfg(feature = "cpu")]
mod launch;
#[cfg(feature = "cpu")]
mod pool;
mod queue;
mod shared;
#[cfg(all(test, feature = "cpu"))]
mod tests;

pub(crate) use queue::Cpu;

/// Maximum of concurrently running clusters, with one thread per block.
const TEAMS: u64 = 16;

/// Maximum of the workers that start because all others have blocks that wait, each on a thread of its own. A GPU has
/// room for about as many blocks. Tests make do with fewer.
const WAITING: u64 = if cfg!(test) { 256 } else { 4096 };

/// The number of threads that help the one that launches.
fn helpers() -> usize {
    #[cfg(feature = "cpu")]
    return pool::helpers();
    #[cfg(not(feature = "cpu"))]
    0
}
