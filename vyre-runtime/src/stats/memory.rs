//! Amounts of memory.

use std::sync::atomic::{AtomicU64, Ordering};

/// The memory that a device has given to this process through vyre, in bytes.
///
/// ```
/// # use vyre::prelude::*;
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let before = device.memory()?;
/// let x = device.zeros::<f32>(1000)?;
/// let after = device.memory()?;
/// assert_eq!(after.in_use - before.in_use, 4000);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MemoryUsage {
    /// The sizes of all live buffers.
    pub in_use: u64,
    /// The most that `in_use` was, since the device was opened or the statistics were reset.
    pub high_water: u64,
    /// What is taken from the system: buffers, freed memory that is kept for later ones, and what the runtime
    /// itself needs.
    pub held: u64,
    /// The most that stays held once it is not used any more, after the next wait. Half of the memory of a GPU, if
    /// [`Device::keep_memory`](crate::Device::keep_memory) did not change it.
    pub kept: u64,
    /// All memory of the device; `None` on the CPU.
    pub limit: Option<u64>,
}

/// The memory of a back end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolUsage {
    /// `None` where nothing is held but buffers.
    pub(crate) held: Option<u64>,
    pub(crate) kept: u64,
    pub(crate) limit: Option<u64>,
}

/// An amount, and the most that it was.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    now: AtomicU64,
    most: AtomicU64,
}

impl Gauge {
    pub(crate) fn add(&self, amount: u64) {
        let now = self.now.fetch_add(amount, Ordering::Relaxed) + amount;
        self.most.fetch_max(now, Ordering::Relaxed);
    }

    pub(crate) fn subtract(&self, amount: u64) {
        self.now.fetch_sub(amount, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    pub(crate) fn high_water(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    pub(crate) fn reset_high_water(&self) {
        self.most.store(self.now(), Ordering::Relaxed);
    }
}
