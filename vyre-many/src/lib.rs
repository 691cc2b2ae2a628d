//! Several devices at work together: in one process, on one machine, on many.
//!
//! A program runs as several *ranks*, each with a device of its own. They are threads of one process, started by [`on_each`],
//! or processes that `torchrun`, `mpirun` or `srun` has started, and which find each other by [`Ranks::from_env`]. Either way
//! a rank has a [`Communicator`], whose operations exchange the contents of buffers. Several GPUs need the feature `nccl`.
//!
//! ```
//! use vyre_many::{Communicator, Ranks, Reduction};
//! use vyre::prelude::*;
//!
//! /// y := x / n
//! #[vyre::kernel]
//! fn divide(n: f32, #[each] x: &mut f32) {
//!     *x /= n;
//! }
//!
//! /// The mean of a value of each rank.
//! fn mean(ranks: &Communicator, own: f32) -> vyre::Result<f32> {
//!     let mut x = ranks.device().upload(&[own])?;
//!     ranks.all_reduce(&mut x, Reduction::Sum)?;
//!     divide(ranks.ranks() as f32, &mut x).launch(ranks.device())?;
//!     Ok(x.download()?[0])
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! // Three ranks as threads, on the CPU.
//! let means = vyre_many::on_each(&Device::cpus(3), |ranks| mean(ranks, ranks.rank() as f32))?;
//! assert_eq!(means, [1.0; 3]);
//!
//! // One rank of those that a launcher has started.
//! let ranks = Ranks::from_env()?;
//! println!("{}", mean(&Communicator::new(&ranks.device()?, ranks)?, 1.0)?);
//! # Ok(())
//! # }
//! ```
//!
//! | operation | result | NCCL |
//! |---|---|---|
//! | [`all_reduce`](Communicator::all_reduce) | all ranks have the reduction of all | `ncclAllReduce` |
//! | [`reduce_scatter`](Communicator::reduce_scatter) | each rank has a part of the reduction | `ncclReduceScatter` |
//! | [`all_gather`](Communicator::all_gather) | all ranks have the elements of all | `ncclAllGather` |
//! | [`broadcast`](Communicator::broadcast) | all ranks have the elements of one | `ncclBroadcast` |
//! | [`all_to_all`](Communicator::all_to_all) | each rank has a part of the elements of all | `ncclAlltoAll` |
//! | [`send`](Communicator::send), [`receive`](Communicator::receive), [`group`](Communicator::group) | elements of one for another | `ncclSend`, `ncclRecv`, `ncclGroupStart` |
//! | [`Sharded`] | a buffer in blocks, one on each device | |
//!
//! Ranks on the CPU exchange values through the host, so that `cargo test` runs programs of many ranks as they are. Their sums
//! have one order, that of the ranks, and those of GPUs too if they are [`deterministic`](Communicator::deterministic). A
//! single rank needs nothing of all this, on any device.

#![warn(missing_debug_implementations)]

mod collective;
mod communicator;
mod frame;
mod group;
mod inbox;
#[doc(hidden)]
pub mod kernels;
mod meeting;
mod mesh;
#[cfg(feature = "nccl")]
mod nccl;
mod ranks;
mod reduction;
mod secret;
mod sharded;

use std::panic::resume_unwind;
use std::thread;

pub use communicator::Communicator;
pub use group::Group;
pub use ranks::Ranks;
pub use reduction::{Reducible, Reduction};
pub use sharded::{Blocks, Sharded};

use vyre::{Device, Error, RankProblem, Result};

/// Runs a function on a thread for each device, all with communicators of each other. Returns the results by rank.
///
/// ```
/// use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let found = vyre_many::on_each(&Device::cpus(3), |ranks| Ok(10 * ranks.rank()))?;
/// assert_eq!(found, [0, 10, 20]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of [`Communicator::local`], and the error of a rank: one that is not the end or failure of another rank, if there is
/// one.
///
/// # Panics
/// If the function does, when all threads have ended.
pub fn on_each<R: Send>(devices: &[Device], work: impl Fn(&Communicator) -> Result<R> + Sync) -> Result<Vec<R>> {
    let communicators = Communicator::local(devices)?;
    let work = &work;
    let joined: Vec<_> = thread::scope(|scope| {
        // The communicator is dropped with the thread, so that the others see its end.
        let start = |communicator: Communicator| scope.spawn(move || work(&communicator));
        let threads: Vec<_> = communicators.into_iter().map(start).collect();
        threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut results = Vec::with_capacity(joined.len());
    let mut errors = Vec::new();
    for one in joined {
        match one {
            Ok(Ok(result)) => results.push(result),
            Ok(Err(error)) => errors.push(error),
            Err(panic) => resume_unwind(panic),
        }
    }
    let cause = errors.iter().position(|error| !is_of_another(error)).unwrap_or(0);
    match errors.is_empty() {
        true => Ok(results),
        false => Err(errors.swap_remove(cause)),
    }
}

/// True for an error that another rank has caused.
fn is_of_another(error: &Error) -> bool {
    match error {
        Error::Ranks { problem, .. } => {
            matches!(**problem, RankProblem::Ended { .. } | RankProblem::Failed { .. })
        }
        _ => false,
    }
}

/// The programs of the book, as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../docs/book/src/running/many.md")]
    struct Many;
    #[doc = include_str!("../../docs/book/src/running/planning.md")]
    struct Planning;
}
