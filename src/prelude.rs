//! The items that most files with kernels need: `use vyre::prelude::*;`.
//!
//! It is [`kernel`] and [`host`] together. Files that also use `std::thread`, `std::cmp::Ordering` or a module `grid` of
//! their own import one of them: an item that is imported or defined by its name hides that of a glob, also in kernels.
//!
//! ```
//! use std::thread;
//! use vyre::prelude::host::*;
//!
//! mod kernels {
//!     use vyre::prelude::kernel::*;
//!
//!     #[vyre::kernel]
//!     pub fn fill(value: f32, y: &mut [f32]) {
//!         let i = thread::index(); // vyre's
//!         if i < y.len() {
//!             y[i] = value;
//!         }
//!     }
//! }
//!
//! fn main() -> vyre::Result<()> {
//!     let filled = thread::spawn(|| { // the standard library's
//!         let device = Device::best()?;
//!         let mut y = device.zeros(100)?;
//!         kernels::fill(2.0, &mut y).over(100).launch(&device)?;
//!         y.download()
//!     });
//!     assert_eq!(filled.join().unwrap()?, [2.0; 100]);
//!     Ok(())
//! }
//! ```

pub use self::host::*;
pub use self::kernel::*;

/// The items that kernels and device functions mention.
pub mod kernel {
    pub use crate::{
        Atomic, AtomicF32, AtomicF64, Float, Integer, Number, Scoped, Slice, Slice2, SliceMut2, block, cluster, fast,
        grid, lane, load, math, mma, pipeline, prefetch, ptx, shared, store, system, thread, warp,
    };
    #[cfg(feature = "half")]
    pub use crate::{AtomicBF16x2, AtomicF16x2};
    #[doc(no_inline)]
    pub use core::sync::atomic::{
        AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
        AtomicUsize, Ordering,
    };
    #[cfg(feature = "half")]
    pub use half::{bf16, f16};
}

/// The items by which the host launches kernels.
pub mod host {
    #[doc(hidden)]
    pub use crate::__private::unsaid::{Blocks as _, Dispatches as _, Launches as _};
    pub use crate::{
        AtomicView, Device, DeviceBuffer, Slice, Slice2, SliceMut2, Stream, View, View2, ViewMut, ViewMut2,
    };
}
