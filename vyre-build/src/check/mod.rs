//! Checks of a kernel with all that it reaches, once every type is known.

pub(crate) mod clusters;
pub(crate) mod fetch_update;
pub(crate) mod grid_sync;
pub(crate) mod named_barriers;
pub(crate) mod reach;
pub(crate) mod recursion;
pub(crate) mod whole_warps;
