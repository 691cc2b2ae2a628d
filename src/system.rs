//! All devices and the host.

use core::sync::atomic::Ordering;

/// A memory fence for all devices and the host (CUDA `__threadfence_system`, PTX `fence.sys`); otherwise like
/// [`grid::fence`](crate::grid::fence).
///
/// ```
/// # use vyre::prelude::*;
/// /// Writes a result and says so; a host that watches the flag would then see the result.
/// #[vyre::kernel(block = 32)]
/// fn publish(result: &[AtomicU32], ready: &[AtomicU32]) {
///     if thread::index() == 0 {
///         result[0].store(42, Ordering::Relaxed);
///         system::fence(Ordering::Release);
///         ready[0].in_system().store(1, Ordering::Relaxed);
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let (mut result, mut ready) = ([0], [0]);
/// Publish::dispatch(&Device::best()?, 32, &mut result, &mut ready)?;
/// assert_eq!((result, ready), ([42], [1]));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn fence(order: Ordering) {
    let _ = order;
    crate::outside("system::fence()")
}
