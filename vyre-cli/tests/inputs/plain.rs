//! No kernel.
