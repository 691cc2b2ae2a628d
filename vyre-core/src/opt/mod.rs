//! The passes of the optimiser, each a function in a file of its own, whose head describes it.
//!
//! [`driver::passes`](crate::driver) lists them in order. No pass changes a result, be it an
//! integer or a float.
//!
//! [`rules`] has the rewrite rules of [`gvn`]; [`ssa_updater`] and [`block_copies`] restore SSA
//! form for the passes that copy blocks.

pub(crate) mod address_spaces;
pub(crate) mod ballots;
pub(crate) mod block_barriers;
mod block_copies;
pub(crate) mod constant_loads;
pub(crate) mod dce;
pub(crate) mod fault_polls;
pub(crate) mod fault_sites;
pub(crate) mod full_warp;
pub(crate) mod guard_sinking;
pub(crate) mod gvn;
pub(crate) mod if_conversion;
pub(crate) mod ldmatrix;
pub(crate) mod licm;
pub(crate) mod loop_rotate;
pub(crate) mod loop_versioning;
pub(crate) mod mem2reg;
pub(crate) mod product_halves;
pub(crate) mod relaxed;
mod replacements;
pub(crate) mod rules;
pub(crate) mod simplify_cfg;
mod ssa_updater;
pub(crate) mod strength_reduction;
pub(crate) mod tiles;
mod trip_count;
pub(crate) mod unroll;
pub(crate) mod wide_indices;
