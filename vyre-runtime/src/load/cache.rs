//! The loaded functions of a kernel, by device.

use std::ffi::c_void;
use std::sync::OnceLock;

/// The functions of a kernel on each device that has loaded it. Part of every [`KernelInfo`].
///
/// A list, so that a launch finds its function with one atomic load in the common case of one
/// device.
///
/// [`KernelInfo`]: crate::kernel::KernelInfo
#[derive(Default)]
pub struct KernelCache {
    first: OnceLock<Box<Loaded>>,
}

/// A kernel on one device.
pub(crate) struct Loaded {
    /// The device, by its index in this process.
    pub(crate) device: u32,
    /// The driver's handle of each entry.
    pub(crate) functions: Box<[*mut c_void]>,
    next: OnceLock<Box<Loaded>>,
}

// SAFETY: the handles are accepted by the driver from any thread.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl KernelCache {
    /// An empty cache.
    pub const fn new() -> KernelCache {
        KernelCache { first: OnceLock::new() }
    }

    /// The kernel on this device, if it was loaded.
    #[inline]
    pub(crate) fn get(&self, device: u32) -> Option<&Loaded> {
        let mut next = self.first.get();
        while let Some(loaded) = next {
            if loaded.device == device {
                return Some(loaded);
            }
            next = loaded.next.get();
        }
        None
    }

    /// Adds the kernel on a device. A device that has it already keeps what it has.
    pub(crate) fn insert(&self, device: u32, functions: Box<[*mut c_void]>) -> &Loaded {
        let mut new = Some(Box::new(Loaded {
            device,
            functions,
            next: OnceLock::new(),
        }));
        let mut place = &self.first;
        loop {
            let held = place.get_or_init(|| new.take().expect("the first free place takes it"));
            if held.device == device {
                return held;
            }
            place = &held.next;
        }
    }
}

#[cfg(test)]
mod tests;
