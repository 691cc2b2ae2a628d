//! The loaded functions of a kernel, by device.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The functions of a kernel on each device that has loaded it. Part of every [`KernelInfo`].
///
/// A list, so that a launch finds its function with one atomic load in the common case of one
/// device.
///
/// [`KernelInfo`]: crate::load::kernel::KernelInfo
pub struct KernelCache {
    first: AtomicPtr<Loaded>,
}

/// A kernel on one device.
pub(crate) struct Loaded {
    /// The device, by its index in this process.
    pub(crate) device: u32,
    /// The driver's handle of each entry.
    pub(crate) functions: Box<[*mut c_void]>,
    next: *mut Loaded,
}

// SAFETY: the handles are accepted by the driver from any thread, and `next` is not written once
// another thread can see it.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl KernelCache {
    /// An empty cache.
    pub const fn new() -> KernelCache {
        KernelCache {
            first: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The kernel on this device, if loaded.
    #[inline]
    pub(crate) fn get(&self, device: u32) -> Option<&Loaded> {
        let mut next = self.first.load(Ordering::Acquire);
        loop {
            // SAFETY: null or from `insert`, which published a complete node; nodes are freed with
            // the cache, which the result borrows.
            let loaded = unsafe { next.as_ref() }?;
            if loaded.device == device {
                return Some(loaded);
            }
            next = loaded.next;
        }
    }

    /// Adds the kernel on a device. The caller ensures that a device is added once.
    pub(crate) fn insert(&self, device: u32, functions: Box<[*mut c_void]>) -> &Loaded {
        let node = Box::into_raw(Box::new(Loaded {
            device,
            functions,
            next: ptr::null_mut(),
        }));
        let mut first = self.first.load(Ordering::Relaxed);
        loop {
            // SAFETY: the node is not published yet, so this is the only access.
            unsafe { (*node).next = first };
            match self
                .first
                .compare_exchange_weak(first, node, Ordering::Release, Ordering::Relaxed)
            {
                // SAFETY: published and freed with the cache, which the result borrows.
                Ok(_) => return unsafe { &*node },
                Err(now) => first = now,
            }
        }
    }
}

impl Default for KernelCache {
    fn default() -> KernelCache {
        KernelCache::new()
    }
}

impl Drop for KernelCache {
    fn drop(&mut self) {
        let mut next = *self.first.get_mut();
        while !next.is_null() {
            // SAFETY: made by `Box::into_raw` in `insert`, and taken from the list once.
            next = unsafe { Box::from_raw(next) }.next;
        }
    }
}

#[cfg(test)]
mod tests;
