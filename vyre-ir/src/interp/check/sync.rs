//! What orders threads: barriers, atomic accesses, fences, and waits for asynchronous copies.

use std::collections::VecDeque;

use vyre_abi::semantics::mbarrier;

use super::clock::{Clock, Who};
use super::shadow::Action;
use super::{AtomicOp, MemoryScope, Pointer, Recorder, Scalar, Span};
use crate::ir::MemoryOrder;

/// A thread of a running block.
#[derive(Debug)]
pub(super) struct Thread {
    /// The time of its accesses; it advances with each release.
    pub(super) time: u32,
    /// What it knows of the others.
    pub(super) clock: Clock,
    /// What its last release fence has published, and whether that was for the block alone.
    fence: Option<(Clock, bool)>,
    /// What an acquire fence would acquire: of all that it has read, and of what its own cluster has written.
    seen: Clock,
    seen_near: Clock,
    /// The number of its last asynchronous copy, and of the last one of each group that it has not waited for.
    pub(super) copies: u32,
    groups: VecDeque<u32>,
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
    fn publish(&mut self, own: Who) -> Clock {
        self.clock.advance(own, self.time);
        self.time += 1;
        self.clock.clone()
    }
}

/// What an atomic cell publishes to those that read it.
#[derive(Debug, Default)]
pub(super) struct CellState {
    /// To all.
    clock: Clock,
    /// To the blocks of a cluster, by its number.
    near: Option<(u32, Clock)>,
    /// The cluster that has written it last.
    writer: u32,
    /// For an asynchronous barrier: what those that arrive publish, and what those of the last complete phase have.
    arrivals: Clock,
    opened: Clock,
}

fn releases(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
}

fn acquires(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst)
}

/// An atomic access, as far as it orders.
#[derive(Clone, Copy, Debug)]
pub(in crate::interp) struct Atomic {
    pub(in crate::interp) op: AtomicOp,
    pub(in crate::interp) order: MemoryOrder,
    pub(in crate::interp) scope: MemoryScope,
    /// True if it has written the cell.
    pub(in crate::interp) writes: bool,
    pub(in crate::interp) size: u64,
}

impl Atomic {
    /// A volatile access.
    pub(in crate::interp) fn volatile(op: AtomicOp, size: u64) -> Self {
        Atomic {
            op,
            order: MemoryOrder::Relaxed,
            scope: MemoryScope::System,
            writes: op == AtomicOp::Store,
            size,
        }
    }
}

impl Recorder {
    /// A barrier among threads, as their block and number: what each did before it happens before what any does after.
    pub(in crate::interp) fn barrier(&mut self, threads: &[(usize, usize)]) {
        let mut all = Clock::default();
        let mut last = Clock::default();
        for &(block, number) in threads {
            let who = Who {
                block: self.first + block as u32,
                slot: number as u16,
            };
            let thread = &mut self.running[block][number];
            if !thread.clock.is_same(&last) {
                all.join(&thread.clock);
                last = thread.clock.clone();
            }
            all.advance(who, thread.time);
            thread.time += 1;
        }
        for &(block, number) in threads {
            self.running[block][number].clock = all.clone();
        }
    }

    /// The same among threads of the running block.
    pub(in crate::interp) fn block_barrier(&mut self, threads: impl Iterator<Item = usize>) {
        let block = self.block;
        let threads: Vec<(usize, usize)> = threads.map(|thread| (block, thread)).collect();
        self.barrier(&threads);
    }

    /// A thread of the running block arrives at a named barrier, for its opening of this number.
    pub(in crate::interp) fn arrive(&mut self, thread: usize, barrier: u32, opening: u32) {
        let who = self.who(thread);
        let published = self.running[self.block][thread].publish(who);
        self.named.remove(&(who.block, barrier, opening.wrapping_sub(2)));
        self.named
            .entry((who.block, barrier, opening))
            .or_default()
            .join(&published);
    }

    /// A thread of the running block goes on after the opening of a named barrier.
    pub(in crate::interp) fn pass(&mut self, thread: usize, barrier: u32, opening: u32) {
        let who = self.who(thread);
        if let Some(published) = self.named.get(&(who.block, barrier, opening)) {
            self.running[self.block][thread].clock.join(published);
        }
    }

    /// An atomic access of the running thread.
    pub(in crate::interp) fn atomic(&mut self, at: Pointer, atomic: Atomic, span: Span) {
        let Atomic {
            op,
            order,
            scope,
            writes,
            size,
        } = atomic;
        let action = if writes {
            Action::AtomicWrite
        } else {
            Action::AtomicRead
        };
        let in_block = scope == MemoryScope::Block;
        let reads = op != AtomicOp::Store;
        self.access(at, size, (action, reads), in_block, span);
        let own = self.who(self.thread);
        let cluster = own.block / self.cluster;
        let thread = &mut self.running[self.block][self.thread];
        let cell = self.cells.entry((at.region(), at.offset())).or_default();
        if reads {
            thread.polled = Some((at, span));
            let near = cell
                .near
                .as_ref()
                .filter(|(by, _)| *by == cluster)
                .map(|(_, clock)| clock);
            for clock in [Some(&cell.clock), near].into_iter().flatten() {
                if acquires(order) {
                    thread.clock.join(clock);
                } else {
                    thread.seen.join(clock);
                    if cell.writer == cluster {
                        thread.seen_near.join(clock);
                    }
                }
            }
        }
        if !writes {
            return;
        }
        // An update goes on with the release sequence that it has read from; a store ends it.
        if op == AtomicOp::Store {
            (cell.clock, cell.near) = (Clock::default(), None);
        }
        let published = match releases(order) {
            true => Some((thread.publish(own), in_block)),
            false => thread.fence.clone(),
        };
        cell.writer = cluster;
        match published {
            Some((clock, near)) if near || in_block => match &mut cell.near {
                Some((by, known)) if *by == cluster => known.join(&clock),
                known => *known = Some((cluster, clock)),
            },
            Some((clock, _)) => cell.clock.join(&clock),
            None => {}
        }
    }

    /// A fence of the running thread.
    pub(in crate::interp) fn fence(&mut self, order: MemoryOrder, scope: MemoryScope) {
        let own = self.who(self.thread);
        let thread = &mut self.running[self.block][self.thread];
        let in_block = scope == MemoryScope::Block;
        if acquires(order) {
            let seen = if in_block { &thread.seen_near } else { &thread.seen };
            thread.clock.join(seen);
        }
        if releases(order) {
            thread.fence = Some((thread.publish(own), in_block));
        }
    }

    /// An operation on an asynchronous barrier, with its state before and after.
    pub(in crate::interp) fn phase(&mut self, at: Pointer, op: AtomicOp, states: [u64; 2], opened: bool, span: Span) {
        let size = u64::from(Scalar::U64.size());
        let action = match op {
            AtomicOp::BarrierInit => (Action::Write, false),
            AtomicOp::BarrierArrive => (Action::AtomicWrite, true),
            AtomicOp::BarrierNumber => return,
            _ => (Action::AtomicRead, true),
        };
        self.access(at, size, action, false, span);
        let (own, copies) = (self.who(self.thread), self.copies_of(self.thread));
        let thread = &mut self.running[self.block][self.thread];
        let cell = self.cells.entry((at.region(), at.offset())).or_default();
        match op {
            AtomicOp::BarrierInit => *cell = CellState::default(),
            AtomicOp::BarrierArrive => {
                cell.arrivals.join(&thread.publish(own));
                if mbarrier::test_wait(states[1], states[0]) != 0 {
                    cell.opened = std::mem::take(&mut cell.arrivals);
                }
            }
            AtomicOp::BarrierCopies => cell.arrivals.advance(copies, thread.copies),
            _ => {
                thread.polled = Some((at, span));
                if opened {
                    thread.clock.join(&cell.opened);
                }
            }
        }
    }

    /// Begins an asynchronous copy of the running thread.
    pub(in crate::interp) fn begin_copy(&mut self) {
        self.running[self.block][self.thread].copies += 1;
    }

    /// Enters an access to bytes: one end of a copy, or the row of a matrix.
    pub(in crate::interp) fn bytes(&mut self, at: Pointer, size: u64, action: Action, span: Span) {
        if !at.is_private() {
            self.access(at, size, (action, !action.writes()), false, span);
        }
    }

    /// Makes a group of the copies of the running thread.
    pub(in crate::interp) fn commit(&mut self) {
        let thread = &mut self.running[self.block][self.thread];
        thread.groups.push_back(thread.copies);
    }

    /// The running thread waits for all groups but the last ones.
    pub(in crate::interp) fn wait_for_copies(&mut self, pending: u32) {
        let copies = self.copies_of(self.thread);
        let thread = &mut self.running[self.block][self.thread];
        while thread.groups.len() > pending as usize {
            if let Some(last) = thread.groups.pop_front() {
                thread.clock.advance(copies, last);
            }
        }
    }
}
