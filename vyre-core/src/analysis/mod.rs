//! Analyses: facts about a function that passes ask for. None changes the function.
//!
//! - [`homes`]: the block of each value;
//! - [`frontiers`]: dominance frontiers;
//! - [`loop_forest`]: natural loops, how they nest, each with a preheader;
//! - [`scev`]: values that change by the same amount in each iteration of a loop;
//! - [`range`]: unsigned upper bounds of values;
//! - [`conditions`]: conditions that branches and guards have decided, and where they hold;
//! - [`provenance`]: the root that a pointer was offset from.

pub(crate) mod conditions;
pub(crate) mod frontiers;
pub(crate) mod homes;
pub(crate) mod loop_forest;
pub(crate) mod provenance;
pub(crate) mod range;
pub(crate) mod scev;
