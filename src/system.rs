//! All devices and the host.

use core::sync::atomic::Ordering;

/// Orders the accesses to memory before it against those after it, as all devices and the host see
/// them (CUDA `__threadfence_system`, PTX `fence.sys`); else as [`grid::fence`](crate::grid::fence).
#[track_caller]
pub fn fence(order: Ordering) {
    let _ = order;
    crate::outside("system::fence()")
}
