//! The gates of allocations that recordings hold.
//!
//! A recording uses memory that it does not borrow when it runs: its borrows have ended when a step was recorded. So
//! two threads may queue conflicting work at the same time, one by a launch that borrows the buffer, and one by a
//! recording; and on the CPU, where work runs while it is queued, both would access the memory at once. The gate of an
//! allocation keeps them apart: from before a stream follows the earlier uses until the new use is noted, a recording
//! holds it alone, and other work, which its borrows keep apart from each other, holds it together.
//!
//! Only allocations that recordings hold have their gates taken, so that ordinary launches do not pay for them. An
//! allocation that becomes recorded while a launch uses it is harmless: the launch borrows it, so until the launch is
//! queued it can be recorded for reading alone, and only if the launch reads it, too.
//!
//! Gates are taken in the order of devices and of their allocations' numbers, each once, so that nobody waits in a circle. Nothing that
//! calls code of the user, such as a printer, runs inside of one.

use vyre_abi::order::sort_by_key;

use super::allocation::Allocation;
use crate::sync::{RwLockReadGuard, RwLockWriteGuard};

/// Gates that are held.
pub(crate) struct Gates<'a> {
    _shared: Vec<RwLockReadGuard<'a, ()>>,
    _alone: Vec<RwLockWriteGuard<'a, ()>>,
}

impl<'a> Gates<'a> {
    /// The gates of those allocations that recordings hold, for work that borrows its buffers.
    pub(crate) fn shared(allocations: impl IntoIterator<Item = &'a Allocation>) -> Gates<'a> {
        let mut recorded = Vec::new();
        for allocation in allocations {
            if allocation.is_recorded() {
                recorded.push(allocation);
            }
        }
        Gates::take(recorded)
    }

    fn take(mut recorded: Vec<&'a Allocation>) -> Gates<'a> {
        // A copy between devices has allocations of both, which are numbered apart.
        let key = |allocation: &&Allocation| u128::from(allocation.device_id()) << 64 | u128::from(allocation.id());
        sort_by_key(&mut recorded, key);
        recorded.dedup_by_key(|allocation| key(allocation));
        let mut gates = Vec::with_capacity(recorded.len());
        for allocation in recorded {
            gates.push(allocation.gate.read());
        }
        Gates {
            _shared: gates,
            _alone: Vec::new(),
        }
    }

    /// The gates for a run of a recording, whose allocations come in the order of their numbers, each once.
    pub(crate) fn alone(allocations: impl IntoIterator<Item = &'a Allocation>) -> Gates<'a> {
        let gates = allocations.into_iter().map(|allocation| allocation.gate.write());
        Gates {
            _shared: Vec::new(),
            _alone: gates.collect(),
        }
    }
}
