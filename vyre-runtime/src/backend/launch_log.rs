//! The launches of a queue that may still report a fault, with the allocations that they may write.

use super::launching::{AllocationId, Write};

/// A list of writes, in the order of the launches.
#[derive(Default)]
pub(crate) struct LaunchLog {
    writes: Vec<Write>,
}

impl LaunchLog {
    /// Adds a launch. Its number exceeds those before.
    pub(crate) fn add(&mut self, launch: u64, allocations: &[AllocationId]) {
        for &allocation in allocations {
            self.writes.push(Write { launch, allocation });
        }
    }

    /// The writes of one launch.
    pub(crate) fn of(&self, launch: u64) -> Vec<Write> {
        self.between(launch, launch)
    }

    /// The writes of all launches from `first` to `last`.
    pub(crate) fn between(&self, first: u64, last: u64) -> Vec<Write> {
        let start = self.writes.partition_point(|write| write.launch < first);
        let end = self.writes.partition_point(|write| write.launch <= last);
        self.writes[start..end.max(start)].to_vec()
    }

    /// Drops the launches up to a number.
    pub(crate) fn forget(&mut self, last: u64) {
        let kept = self.writes.partition_point(|write| write.launch <= last);
        self.writes.drain(..kept);
    }

    pub(crate) fn len(&self) -> usize {
        self.writes.len()
    }
}

#[cfg(test)]
mod tests;
