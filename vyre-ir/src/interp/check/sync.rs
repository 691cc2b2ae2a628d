//! The state by which threads are ordered: their clocks and fences, and the clocks of atomic cells and barriers.

use std::collections::VecDeque;

use super::clock::{Clock, Who};
use super::{Pointer, Span};
use crate::ir::MemoryOrder;

/// A thread of a running block.
#[derive(Debug)]
pub(super) struct Thread {
    /// The time of its accesses; it advances with each release.
    pub(super) time: u32,
    /// What it knows of the others.
    pub(super) clock: Clock,
    /// What its last release fence has published, and whether that was for the block alone.
    pub(super) fence: Option<(Clock, bool)>,
    /// What an acquire fence would acquire: of all that it has read, and of what its own cluster has written.
    pub(super) seen: Clock,
    pub(super) seen_near: Clock,
    /// The number of its last asynchronous copy, and of the last one of each group that it has not waited for.
    pub(super) copies: u32,
    pub(super) groups: VecDeque<u32>,
    /// The memory that it has last read atomically, and where.
    pub(super) polled: Option<(Pointer, Span)>,
}

impl Default for Thread {
    fn default() -> Self {
        Thread {
            // An access at time 0 is none.
            time: 1,
            clock: Clock::default(),
            fence: None,
            seen: Clock::default(),
            seen_near: Clock::default(),
            copies: 0,
            groups: VecDeque::new(),
            polled: None,
        }
    }
}

impl Thread {
    /// What it knows, itself included, for others to acquire. Later accesses are not part of it.
    pub(super) fn publish(&mut self, own: Who) -> Clock {
        self.clock.advance(own, self.time);
        self.time += 1;
        self.clock.clone()
    }
}

/// What an atomic cell publishes to those that read it.
#[derive(Debug, Default)]
pub(super) struct CellState {
    /// To all.
    pub(super) clock: Clock,
    /// To the blocks of a cluster, by its number.
    pub(super) near: Option<(u32, Clock)>,
    /// The cluster that has written it last.
    pub(super) writer: u32,
    /// For an asynchronous barrier: what those that arrive publish, and what those of the last complete phase have.
    pub(super) arrivals: Clock,
    pub(super) opened: Clock,
}

pub(super) fn releases(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
}

pub(super) fn acquires(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
}
