//! The scope of atomic accesses.

use core::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
    AtomicUsize,
};

#[cfg(feature = "half")]
use crate::{AtomicBF16x2, AtomicF16x2};
use crate::{AtomicF32, AtomicF64};

/// Sets the scope of an access to an atomic: `flags[i].in_system().store(1, Ordering::Release)`.
///
/// Without a scope, an access is atomic among the threads of the device, and one to shared memory among those
/// of the block. Smaller scopes cost less. An access by a thread outside the scope is a race.
///
/// ```
/// use vyre::prelude::*;
///
/// /// Of each block the largest value, which no other block looks at.
/// #[vyre::kernel(block = 64)]
/// fn largest(values: &[u32], most: &[AtomicU32]) {
///     most[block::idx().x]
///         .in_block()
///         .fetch_max(values[thread::index()], Ordering::Relaxed);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let values = device.upload(&[3; 128])?;
/// let mut most = device.zeros::<u32>(2)?;
/// largest(&values, &mut most).over(128).launch(&device)?;
/// assert_eq!(most.download()?, [3, 3]);
/// # Ok(())
/// # }
/// ```
pub trait Scoped: sealed::Sealed {
    /// Among the threads of the block, in kernels with clusters of the cluster (CUDA `thread_scope_block`).
    fn in_block(&self) -> &Self;

    /// Among the threads of the device (CUDA `thread_scope_device`).
    fn in_device(&self) -> &Self;

    /// Among the threads of all devices and of the host (CUDA `thread_scope_system`).
    fn in_system(&self) -> &Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! scoped {
    ($($atomic:ident)*) => { $(
        impl sealed::Sealed for $atomic {}

        impl Scoped for $atomic {
            #[track_caller]
            fn in_block(&self) -> &Self {
                crate::outside("in_block()")
            }

            #[track_caller]
            fn in_device(&self) -> &Self {
                crate::outside("in_device()")
            }

            #[track_caller]
            fn in_system(&self) -> &Self {
                crate::outside("in_system()")
            }
        }
    )* };
}
scoped! { AtomicBool AtomicI8 AtomicI16 AtomicU8 AtomicU16 }
scoped! { AtomicI32 AtomicI64 AtomicIsize AtomicU32 AtomicU64 AtomicUsize AtomicF32 AtomicF64 }
#[cfg(feature = "half")]
scoped! { AtomicF16x2 AtomicBF16x2 }
