//! Device memory: allocations and the ordering of their uses, buffers and views, and copies between
//! host and device.
//!
//! - `allocation` is device memory with its last use on each stream.
//! - `buffer`, `view`, `view2` are typed ranges of it; `slice2` is a matrix on the host.
//! - `transfer` copies and fills.
//! - `element`, `atomic`, `atomic_pair` are the traits and types of elements.

pub(crate) mod allocation;
pub(crate) mod atomic;
#[cfg(feature = "half")]
pub(crate) mod atomic_pair;
pub(crate) mod buffer;
pub(crate) mod element;
pub(crate) mod shape2;
pub(crate) mod slice2;
pub(crate) mod transfer;
pub(crate) mod view;
pub(crate) mod view2;
