//! The items that most files with kernels need: `use vyre::prelude::*;`.

#[doc(hidden)]
pub use crate::__private::unsaid::{Dispatches as _, Launches as _};
#[cfg(feature = "half")]
pub use crate::{AtomicBF16x2, AtomicF16x2};
pub use crate::{
    AtomicF32, AtomicF64, AtomicView, Device, DeviceBuffer, Float, Integer, Number, Scoped, Slice2, SliceMut2, Stream,
    View, View2, ViewMut, ViewMut2, block, cluster, grid, lane, load, math, mma, pipeline, prefetch, ptx, shared,
    store, system, thread, warp,
};
pub use core::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
    AtomicUsize, Ordering,
};
#[cfg(feature = "half")]
pub use half::{bf16, f16};
