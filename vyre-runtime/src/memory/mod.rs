//! Device memory: allocations and the ordering of their uses, buffers and views, and copies between
//! host and device.
//!
//! - `allocation` is device memory with its last use on each stream.
//! - `gate` keeps recordings that run apart from other work on the same memory.
//! - `buffer`, `view`, `view2` are typed ranges of it; `chunks` are views of the same memory
//!   by arrays and back; on the host `slice` is a slice that integers of all types index, and `slice2` a matrix.
//! - `transfer` copies and fills; `together` makes many copies behind one wait, and `scattered` small ones
//!   by one kernel; `counted` copies as many elements as a counter on the device says.
//! - `foreign` is memory that other libraries have made, and the one way in for it; `interop` is that of cudarc, `dlpack` that of
//!   tensors.
//! - `external` orders work of other libraries on buffers.
//! - `handles` are buffers of bytes by number.
//! - `pinned` is memory of the host for copies that the host does not wait for; `uninit` is a buffer before its first write.
//! - `raw` is memory for functions that are made of kernels.
//! - `element`, `atomic`, `atomic_pair` are the traits and types of elements; `cast` views slices of other types as such.

pub(crate) mod allocation;
pub(crate) mod atomic;
#[cfg(feature = "half")]
pub(crate) mod atomic_pair;
pub(crate) mod buffer;
#[cfg(feature = "bytemuck")]
pub(crate) mod cast;
mod chunks;
pub(crate) mod counted;
#[cfg(feature = "dlpack")]
pub mod dlpack;
pub(crate) mod element;
pub(crate) mod external;
pub(crate) mod foreign;
pub(crate) mod gate;
pub(crate) mod handles;
mod interop;
pub(crate) mod pinned;
pub(crate) mod raw;
mod scattered;
pub(crate) mod shape2;
pub(crate) mod slice;
pub(crate) mod slice2;
pub(crate) mod together;
pub(crate) mod transfer;
pub(crate) mod uninit;
pub(crate) mod view;
pub(crate) mod view2;
