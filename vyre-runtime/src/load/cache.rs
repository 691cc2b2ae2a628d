//! The loaded functions of a kernel, by device.

use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The functions of a kernel on each device that has loaded it. Part of every [`KernelInfo`].
///
/// A list, so that a launch finds its function with one atomic load in the common case of one
/// device. A device unloads the kernel when this is dropped, which that of a static never is.
///
/// [`KernelInfo`]: crate::kernel::KernelInfo
#[derive(Default)]
pub struct KernelCache {
    first: OnceLock<Box<Node>>,
}

impl fmt::Debug for KernelCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelCache").finish_non_exhaustive()
    }
}

struct Node {
    loaded: Arc<Loaded>,
    next: OnceLock<Box<Node>>,
}

/// An entry on a device.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    /// The driver's handle.
    pub(crate) handle: *mut c_void,
    /// The bytes of shared memory that it has apart from what a launch gives it, as the assembler laid them out: up to
    /// the start of dynamic memory, which is aligned.
    pub(crate) shared_bytes: u32,
}

/// A kernel on one device.
pub(crate) struct Loaded {
    /// The device, by its index in this process.
    pub(crate) device: u32,
    /// The number of the kernel on the device, from 1. Records of the device name their kernel by it: the
    /// address of its description may be that of another one when a record is read.
    pub(crate) number: u64,
    /// The entries.
    pub(crate) functions: Box<[Function]>,
    /// The module of the functions. The device unloads it when this is dropped.
    pub(crate) _module: Box<dyn Any + Send + Sync>,
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
    pub(crate) fn get(&self, device: u32) -> Option<&Arc<Loaded>> {
        let mut next = self.first.get();
        while let Some(node) = next {
            if node.loaded.device == device {
                return Some(&node.loaded);
            }
            next = node.next.get();
        }
        None
    }

    /// Adds the kernel on a device. A device that has it already keeps what it has.
    pub(crate) fn insert(&self, loaded: Arc<Loaded>) {
        let device = loaded.device;
        let mut new = Some(Box::new(Node {
            loaded,
            next: OnceLock::new(),
        }));
        let mut place = &self.first;
        loop {
            let held = place.get_or_init(|| new.take().expect("the first free place takes it"));
            if held.loaded.device == device {
                return;
            }
            place = &held.next;
        }
    }
}

#[cfg(test)]
mod tests;
