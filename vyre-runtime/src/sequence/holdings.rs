//! The allocations that a recording uses, kept as long as it lives.

use std::sync::Arc;

use crate::backend::{AllocationId, Moment};
use crate::device::stream::StreamState;
use crate::error::Result;
use crate::memory::allocation::{Allocation, Ticket};
use crate::memory::gate::Gates;

#[derive(Default)]
pub(super) struct Holdings {
    /// Each allocation once, in the order of their numbers.
    list: Vec<Holding>,
    /// Those of the run in progress.
    tickets: Vec<Ticket>,
}

struct Holding {
    allocation: Arc<Allocation>,
    /// True if a step may write it.
    writes: bool,
}

impl Holdings {
    /// Holds an allocation, as one that is written if it is by any step.
    pub(super) fn hold(&mut self, allocation: &Allocation, writes: bool) {
        match self
            .list
            .binary_search_by_key(&allocation.id(), |held| held.allocation.id())
        {
            Ok(number) => self.list[number].writes |= writes,
            Err(place) => {
                allocation.record();
                let allocation = allocation.hold();
                self.list.insert(place, Holding { allocation, writes });
            }
        }
    }

    /// Queues work that uses them all: makes the stream follow the earlier uses, and notes the new ones. No other work
    /// on them is queued meanwhile.
    /// Returns the moment before it, if it is timed.
    pub(super) fn with(
        &mut self,
        stream: &'static StreamState,
        timed: bool,
        work: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Option<Box<dyn Moment>>> {
        let _gates = Gates::alone(self.list.iter().map(|held| &*held.allocation));
        self.tickets.clear();
        for held in &self.list {
            self.tickets.push(held.allocation.begin_inside(stream, held.writes)?);
        }
        let start = timed.then(|| stream.queue().record()).transpose();
        let done = start.and_then(|start| work().map(|()| start));
        // Also after an error: a part of the work may be queued.
        for (held, &ticket) in self.list.iter().zip(&self.tickets) {
            held.allocation.end(stream, held.writes, ticket);
        }
        done
    }
}

impl Holdings {
    /// The allocations that a step may write.
    pub(super) fn written(&self) -> Vec<AllocationId> {
        let written = self.list.iter().filter(|held| held.writes);
        written.map(|held| held.allocation.id()).collect()
    }

    /// Has others hold the same allocations.
    pub(super) fn share_with(&self, others: &mut Holdings) {
        for held in &self.list {
            others.hold(&held.allocation, held.writes);
        }
    }
}

impl Drop for Holdings {
    fn drop(&mut self) {
        for held in &self.list {
            held.allocation.forget_recording();
        }
    }
}
