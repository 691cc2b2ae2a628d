//! Items that generated code refers to. Not public API; they change without notice.

mod argument;
pub mod body;
pub mod crates;
mod embed;
pub mod example;
mod guard;
mod launcher;
pub mod macros;
pub mod unsaid;
mod via;
mod witness;

pub use argument::{Reads, ReadsMatrix, Updates, Writes, WritesMatrix};
pub use embed::{Aligned, agree, bits, bytes, first, location, patch, sites, text, utf8};
pub use guard::{HasZero, Variants, any, digests, holds, missing, ptx, refuse, refused, used};
pub use launcher::{Axes, Dispatched, downloaded, equal_lengths, formatted, uploaded};
pub use via::Via;
pub use witness::{
    Ty, alias, discriminant, field, found, is, is_known, is_nan, is_order, is_ordering, leads_to, matrix, matrix_mut,
    meant, same, tag,
};

// Chains of macros: their ends, and the substitute for an item that has no macro.
pub use crate::__vyre_missing as missing;
// The parts of launchers that are the same for all.
pub use crate::__vyre_debug as debug;
pub use crate::__vyre_recorded as recorded;
pub use vyre_macros::{Configured, carried, undecided};

// Names of the standard library that the user's names might shadow.
pub use core::clone::Clone;
pub use core::ffi::c_void;
pub use core::marker::Copy;
pub use core::ptr::null_mut;
pub use core::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
    AtomicUsize,
};
pub use core::{cfg, unreachable};

// Launchers.
pub use vyre_abi::kernel::{AssumedInfo, Cubin, EntryInfo, LaunchCondition, Location, NewerPtx, Site};
pub use vyre_abi::target::{Features, Target};
pub use vyre_runtime::kernel::{
    Arguments, HostConstant, Kernel, KernelCache, KernelInfo, constant, is_field, is_part, put, run, set_constant,
};
pub use vyre_runtime::{AtomicF32, AtomicF64, Device, Launch, Result, Slice2, SliceMut2, Timing, View2, ViewMut2};

#[cfg(feature = "half")]
pub use vyre_runtime::{AtomicBF16x2, AtomicF16x2};
#[cfg(feature = "graphs")]
pub use vyre_runtime::{Recordable, Sequence, kernel::Sealed};

// CPU bodies; their most frequent names are in `body`.
#[cfg(target_arch = "x86_64")]
pub use vyre_runtime::body::has_fma;
pub use vyre_runtime::body::memory::{argument, length_only, load, store};
#[cfg(feature = "cpu")]
pub use vyre_runtime::body::{
    BlockContext, Kept, balloted, boxed, lane, lanes, reduced, select, shuffled, store_lanes, with_stack,
};
pub use vyre_runtime::body::{Memory, Slice};
