//! All devices and the host.

use core::sync::atomic::Ordering;

/// A memory fence for all devices and the host (CUDA `__threadfence_system`, PTX `fence.sys`); otherwise like
/// [`grid::fence`](crate::grid::fence).
#[track_caller]
pub fn fence(order: Ordering) {
    let _ = order;
    crate::outside("system::fence()")
}
