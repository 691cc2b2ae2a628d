//! Analyses: facts about a function that passes query. None changes the function, except that
//! [`loop_forest`] adds preheaders. Each file answers one question and begins with its rules and
//! the reason why they are sound; if nothing is known, the answer is the conservative one.
//!
//! | question | query |
//! |---|---|
//! | Does a condition hold at this block? | [`Facts::holds`](facts::Facts::holds) |
//! | What is the range of a value at this block? | [`Facts::range`](facts::Facts::range) |
//! | Is `a < b` at this block? | [`Facts::less_than`](facts::Facts::less_than) |
//! | Is a float a number at this block? | [`Facts::is_number`](facts::Facts::is_number) |
//! | Does a value fit 32 bits at this block? | [`Facts::fits_32`](facts::Facts::fits_32) |
//! | Which sum of digits is a value, and does it wrap? | [`Digits::form`](digits::Digits::form) |
//! | By how much do two values differ? | [`Digits::distance`](digits::Digits::distance) |
//! | How does a value depend on the counter of a loop? | [`Linear`](scev::Linear) |
//! | What is the alignment of a value? | [`Digits::zeros`](digits::Digits::zeros) |
//! | Which root was a pointer offset from? | [`Provenance::root`](provenance::Provenance::root) |
//! | May two accesses of a thread meet, and those of two threads? | `meets::may_meet`, `meets::Threads::are_apart` |
//! | Has each thread a value of its own? | `meets::Threads::is_injective` |
//! | May an access meet one of another thread, with no barrier between them? | `races::find` |
//! | Under which conditions of the launch do checks hold? | [`assume::find`](assume::find) |
//! | Is a value the same for all threads of a block? | `Uniformity::uniform` |
//! | Do all threads of a block come to this block together? | [`Uniformity::together`](uniformity::Uniformity::together) |
//! | What are the loops? | [`LoopForest`](loop_forest::LoopForest) |
//! | In which block is a value computed? | [`Homes`](homes::Homes) |
//! | What uses a value? | [`Uses`](uses::Uses) |
//! | Where does a block's dominance end? | [`Frontiers`](frontiers::Frontiers) |
//! | Which block post-dominates this one? | [`PostDominators`](post_dominators::PostDominators) |
//!
//! Queries that so far only the printer of facts uses are compiled for tests and tools.

pub(crate) mod assume;
pub(crate) mod bounds;
mod conditions;
pub(crate) mod digits;
pub(crate) mod facts;
pub(crate) mod frontiers;
pub(crate) mod homes;
pub(crate) mod loop_forest;
mod magnitude;
#[cfg(feature = "verify")]
pub(crate) mod meets;
pub(crate) mod post_dominators;
#[cfg(feature = "verify")]
pub(crate) mod print;
pub(crate) mod provenance;
#[cfg_attr(
    not(feature = "verify"),
    allow(unreachable_pub, reason = "`inspect` shows the verdicts to tools and tests")
)]
pub(crate) mod races;
pub(crate) mod scev;
pub(crate) mod uniformity;
pub(crate) mod uses;
#[cfg(feature = "verify")]
pub(crate) mod verdicts;
