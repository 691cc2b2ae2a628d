//! Analyses: facts about a function that passes ask for. None changes the function.
//!
//! - [`loop_forest`]: natural loops, each with a preheader;
//! - [`scev`]: values that change by the same amount in each iteration of a loop;
//! - [`range`]: unsigned upper bounds of values;
//! - [`conditions`]: conditions that branches and guards have decided, and where they hold;
//! - [`provenance`]: the root that a pointer was offset from.

pub(crate) mod conditions;
pub(crate) mod loop_forest;
pub(crate) mod provenance;
pub(crate) mod range;
pub(crate) mod scev;
