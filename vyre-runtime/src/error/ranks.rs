//! The problems of ranks that work together.

use std::fmt;
use std::time::Duration;

use super::message::List;

/// A problem of ranks that work together.
///
/// ```
/// use vyre::{Error, RankProblem};
///
/// /// True if the program may succeed when it is started again as it is.
/// fn is_worth_a_restart(error: &Error) -> bool {
///     match error {
///         Error::Ranks { problem, .. } => matches!(
///             **problem,
///             RankProblem::Ended { .. } | RankProblem::Timeout { .. } | RankProblem::Failed { .. }
///         ),
///         _ => false,
///     }
/// }
///
/// let problem = Box::new(RankProblem::Ended { other: 2 });
/// assert!(is_worth_a_restart(&Error::Ranks { rank: 0, ranks: 4, problem }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RankProblem {
    /// A variable of the environment that does not fit the others, or is no number.
    Variable {
        /// Its name.
        name: String,
        /// Its value; `None` if it is not set.
        value: Option<String>,
        /// The value that it should have, in words.
        wanted: String,
    },
    /// Ranks that did not come to the meeting.
    Missing {
        /// Their numbers.
        missing: Vec<usize>,
        /// The time that they had.
        limit: Duration,
        /// The address of rank 0.
        address: String,
    },
    /// A number that several ranks have.
    Doubled {
        /// The number.
        number: usize,
    },
    /// A rank that was started with another number of ranks.
    Sizes {
        /// The rank.
        other: usize,
        /// The number of ranks that it knows of.
        theirs: usize,
    },
    /// A rank that has another secret.
    Secret,
    /// Rank 0 cannot be met.
    Meeting {
        /// Its address.
        address: String,
        /// The reason, a sentence.
        reason: String,
    },
    /// Ranks on devices that cannot be joined.
    Devices {
        /// The reason, a sentence.
        reason: String,
    },
    /// A rank that the host has no device for.
    NoDevice {
        /// The number of the rank among those of its host.
        local: usize,
        /// The number of CUDA devices of the host.
        devices: usize,
    },
    /// A rank that does not exist.
    NoSuchRank {
        /// The number.
        number: usize,
    },
    /// Two ranks have called different operations, or the same with other lengths or types.
    Differ {
        /// The other rank.
        other: usize,
        /// The operation of this rank.
        own: String,
        /// The operation of the other one.
        theirs: String,
    },
    /// A rank has ended, or dropped its communicator, and others wait for it.
    Ended {
        /// The rank.
        other: usize,
    },
    /// A rank did not take part in time.
    Timeout {
        /// The rank that was waited for, if it is known.
        other: Option<usize>,
        /// The operation.
        operation: String,
        /// The time that it had.
        limit: Duration,
    },
    /// Another rank has failed, and so the communicator was aborted.
    Failed {
        /// The rank.
        other: usize,
        /// Its error.
        reason: String,
    },
    /// The library NCCL is not there.
    NoLibrary {
        /// The names that were tried.
        searched: Vec<String>,
    },
    /// The library NCCL is too old.
    LibraryTooOld {
        /// Its version, major and minor.
        found: (u32, u32),
        /// The version that is needed.
        needed: (u32, u32),
    },
    /// A call of NCCL failed.
    Library {
        /// The function.
        call: String,
        /// The result, an `ncclResult_t`.
        code: u32,
        /// The text of the library.
        text: String,
    },
    /// Several ranks on GPUs need the feature `nccl`.
    NeedsFeature,
}

impl fmt::Display for RankProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RankProblem::Variable { name, value, wanted } => match value {
                Some(value) => write!(f, "the variable {name} is `{value}`, and should be {wanted}"),
                None => write!(f, "the variable {name} is not set, and should be {wanted}"),
            },
            RankProblem::Missing {
                missing,
                limit,
                address,
            } => {
                let numbers: Vec<String> = missing.iter().map(usize::to_string).collect();
                write!(
                    f,
                    "rank{} {} did not come to {address} within {limit:?}; see whether all ranks were started, with the \
                     same address, and give more time by VYRE_TIMEOUT",
                    if missing.len() == 1 { "" } else { "s" },
                    List(&numbers, ", ")
                )
            }
            RankProblem::Doubled { number } => write!(
                f,
                "several processes are rank {number}; start each rank once, and set VYRE_ADDRESS apart for programs that run \
                 at the same time"
            ),
            RankProblem::Sizes { other, theirs } => write!(
                f,
                "rank {other} was started as one of {theirs}; start all ranks with the same number"
            ),
            RankProblem::Secret => f.write_str(
                "another rank has another secret; set VYRE_SECRET to the same text for all ranks, or for none",
            ),
            RankProblem::Meeting { address, reason } => write!(
                f,
                "the ranks cannot meet at {address}: {reason}; see whether rank 0 was started, once, and whether VYRE_ADDRESS \
                 or what the launcher has set is its host:port"
            ),
            RankProblem::Devices { reason } => f.write_str(reason),
            RankProblem::NoDevice { local, devices } => write!(
                f,
                "it is number {local} on its host, from 0, which has {devices} CUDA device{}; start no more ranks on a host \
                 than it has devices, and see whether ranks of another host were counted in",
                if *devices == 1 { "" } else { "s" }
            ),
            RankProblem::NoSuchRank { number } => write!(f, "there is no rank {number}"),
            RankProblem::Differ { other, own, theirs } => write!(
                f,
                "this rank calls {own}, and rank {other} {theirs}; all ranks call the same operations in the same order"
            ),
            RankProblem::Ended { other } => write!(f, "rank {other} has ended, and this rank waits for it"),
            RankProblem::Timeout {
                other,
                operation,
                limit,
            } => {
                match other {
                    Some(other) => write!(f, "rank {other} did not take part in {operation}")?,
                    None => write!(f, "not all ranks took part in {operation}")?,
                }
                write!(
                    f,
                    " within {limit:?}; it hangs, or needs more time, by VYRE_TIMEOUT or `timeout`"
                )
            }
            RankProblem::Failed { other, reason } => write!(f, "rank {other} has failed: {reason}"),
            RankProblem::NoLibrary { searched } => write!(
                f,
                "NCCL was not found (looked for {}); install NVIDIA's package libnccl2, or `pip install nvidia-nccl-cu13`, and \
                 put the folder of the library on the library path (LD_LIBRARY_PATH), or name the file by VYRE_NCCL",
                List(searched, ", ")
            ),
            RankProblem::LibraryTooOld { found, needed } => write!(
                f,
                "NCCL is version {}.{}, and {}.{} or newer is needed; update it",
                found.0, found.1, needed.0, needed.1
            ),
            RankProblem::Library { call, code, text } => write!(
                f,
                "`{call}` of NCCL failed: {text} ({code}); NCCL_DEBUG=INFO makes it tell more"
            ),
            RankProblem::NeedsFeature => f.write_str(
                "several ranks on GPUs need NCCL: enable the feature `nccl` of vyre-many, or use `Device::cpus`",
            ),
        }
    }
}
