//! Faults on the CPU: error values propagated by `?`.

use std::sync::atomic::{AtomicU64, Ordering};

use vyre_abi::fault::MAX_FAULT_VALUES;
use vyre_abi::kernel::Site;

use crate::sync::Mutex;

/// Error value of a thread that has left the kernel because of its own fault, or that of a thread
/// that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left;

/// The result of code in a body: a value, or the thread has left.
pub type Run<T = ()> = Result<T, Left>;

/// A fault reported by a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostFault {
    /// The site, with its kind.
    pub site: &'static Site<'static>,
    /// Values as defined by [`FaultKind`](vyre_abi::fault::FaultKind), padded with zeros.
    pub values: [u64; MAX_FAULT_VALUES],
    /// The block of the thread, along x, y and z.
    pub block: [u32; 3],
    /// The thread in its block, along x, y and z.
    pub thread: [u32; 3],
}

/// The fault of a launch: that of the lowest block.
#[derive(Debug)]
pub(crate) struct FaultSlot {
    /// The index of the lowest faulted block, or `u64::MAX`.
    lowest: AtomicU64,
    fault: Mutex<Option<HostFault>>,
}

impl FaultSlot {
    pub(crate) fn new() -> Self {
        FaultSlot {
            lowest: AtomicU64::new(u64::MAX),
            fault: Mutex::new(None),
        }
    }

    /// True once a block has faulted.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.lowest.load(Ordering::Relaxed) != u64::MAX
    }

    /// True if a fault of block `number` could still be the one that counts.
    #[inline]
    pub(crate) fn wants(&self, number: u64) -> bool {
        number < self.lowest.load(Ordering::Relaxed)
    }

    /// Keeps `fault`, of block `number`, if no lower block has faulted.
    #[cold]
    pub(super) fn record(&self, number: u64, fault: HostFault) {
        let mut kept = self.fault.lock();
        if self.wants(number) {
            self.lowest.store(number, Ordering::Relaxed);
            *kept = Some(fault);
        }
    }

    pub(crate) fn into_result(self) -> Result<(), HostFault> {
        match self.fault.into_inner() {
            None => Ok(()),
            Some(fault) => Err(fault),
        }
    }
}
