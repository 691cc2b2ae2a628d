//! [`Record`], the interface through which a launch in checking mode reports its accesses and waits. The recorder behind it
//! is [`check`](super::check), which macros are built without.

use std::any::Any;
use std::cell::RefMut;

use vyre_abi::semantics::named_barrier::{Arrives, AtBarrier};

use super::block::Machine;
use super::code::Code;
use super::memory::Pointer;
use super::thread::{State, Thread};
use crate::ir::{AtomicOp, Kernel, MemoryOrder, MemoryScope, Span, TypeId, Types};

/// Makes the recorder of a launch: of the kernel, the place and size of dynamic shared memory, and the size of shared memory.
pub(super) type Make<'m> = &'m dyn Fn(&Code<'_>, &Kernel, [u64; 2], u64) -> Box<dyn Record>;

/// Receives the accesses and waits of a launch. The running block and thread are those that were entered last.
pub(super) trait Record {
    /// The order of threads or blocks, as numbers; empty for that of their indices. Different salts give different ones.
    fn order(&self, salt: u64, count: u64) -> Vec<usize>;

    /// Adds the regions of tables and arguments, in the order of their numbers. `parameter` is `None` for a table.
    fn add_region(&mut self, code: &Code<'_>, at: Pointer, parameter: Option<(usize, TypeId)>);

    /// Begins blocks that run at once.
    fn start(&mut self, blocks: &[[u32; 3]]);

    /// Sets the running block, by its place among those that run.
    fn enter_block(&mut self, block: usize);

    /// The running block.
    fn block(&self) -> usize;

    /// Sets the running thread.
    fn enter_thread(&mut self, thread: usize);

    /// Enters a plain access to a value of a type.
    fn plain(&mut self, types: &Types, place: (Pointer, TypeId), action: Action, span: Span);

    /// Enters an access to bytes: one end of a copy, or the row of a matrix.
    fn bytes(&mut self, at: Pointer, size: u64, action: Action, span: Span);

    /// An atomic access of the running thread; a volatile or relaxed one counts as a relaxed one of the system.
    fn atomic(&mut self, at: Pointer, atomic: Atomic, span: Span);

    /// An operation on an asynchronous barrier, with its state before and after.
    fn phase(&mut self, at: Pointer, op: AtomicOp, states: [u64; 2], opened: bool, span: Span);

    /// Reports a read of an element of a local array that nothing has written.
    fn unwritten_local(&mut self, name: &str, span: Span);

    /// A fence of the running thread.
    fn fence(&mut self, order: MemoryOrder, scope: MemoryScope);

    /// A barrier among threads, as their block and number: what each did before it happens before what any does after.
    fn barrier(&mut self, threads: &[(usize, usize)]);

    /// A thread of the running block arrives at a named barrier, for its opening of this number.
    fn arrive(&mut self, thread: usize, barrier: u32, opening: u32);

    /// A thread of the running block goes on after the opening of a named barrier.
    fn pass(&mut self, thread: usize, barrier: u32, opening: u32);

    /// Begins an asynchronous copy of the running thread.
    fn begin_copy(&mut self);

    /// Makes a group of the copies of the running thread.
    fn commit(&mut self);

    /// The running thread waits for all groups but the last ones.
    fn wait_for_copies(&mut self, pending: u32);

    /// The memory that a thread has last read atomically, and where in the source.
    fn polled(&self, block: usize, thread: usize) -> Option<(String, Span)>;

    /// Reports threads of blocks that wait, or do not wait, by what they do and where.
    fn stuck(&mut self, kind: Kind, threads: Vec<(usize, usize, Does, Span)>);

    /// The recorder itself, after the launch.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Action {
    /// A plain read.
    #[default]
    Read,
    /// A plain write.
    Write,
    /// An atomic load, or a volatile or relaxed one.
    AtomicRead,
    /// An atomic store or update, or a volatile or relaxed store.
    AtomicWrite,
    /// The read of an asynchronous copy.
    CopyRead,
    /// The write of an asynchronous copy.
    CopyWrite,
}

impl Action {
    pub(super) fn writes(self) -> bool {
        matches!(self, Action::Write | Action::AtomicWrite | Action::CopyWrite)
    }

    pub(super) fn is_atomic(self) -> bool {
        matches!(self, Action::AtomicRead | Action::AtomicWrite)
    }

    pub(super) fn is_copy(self) -> bool {
        matches!(self, Action::CopyRead | Action::CopyWrite)
    }
}

/// An atomic access, as far as it orders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atomic {
    pub(super) op: AtomicOp,
    pub(super) order: MemoryOrder,
    pub(super) scope: MemoryScope,
    /// True if it has written the cell.
    pub(super) writes: bool,
    pub(super) size: u64,
}

impl Atomic {
    /// A volatile or relaxed access.
    pub(super) fn unordered(op: AtomicOp, size: u64) -> Self {
        Atomic {
            op,
            order: MemoryOrder::Relaxed,
            scope: MemoryScope::System,
            writes: op == AtomicOp::Store,
            size,
        }
    }
}

/// The kinds of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Two accesses to one element of which one writes, and nothing orders them.
    Race,
    /// The same, where one of them is atomic and the other is not.
    MixedRace,
    /// Two atomic accesses from different blocks, one of them at the scope of a block.
    ScopeRace,
    /// An access to the memory of an asynchronous copy that has not been waited for.
    CopyRace,
    /// A read of memory that nothing has written.
    Unwritten,
    /// A barrier or warp operation that some threads never reach: they have come to the end of the kernel.
    Skipped,
    /// Threads wait at different barriers or warp operations for each other.
    Divergence,
    /// Threads wait for what never happens.
    Deadlock,
    /// An access outside of its object: an unchecked index or range, or a reference to what is gone.
    Outside,
    /// A result that depends on the order of blocks or threads.
    Order,
}

/// The action or wait of a thread in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Does {
    /// It accesses the memory.
    Access(Action),
    /// It computes the address of an element of the memory.
    Addresses,
    /// It waits at a barrier of its block.
    Barrier,
    /// It waits at a barrier of the cluster.
    ClusterBarrier,
    /// It waits at a barrier of the grid.
    GridBarrier,
    /// It waits at the named barrier of this number.
    NamedBarrier(u32),
    /// It waits at a warp operation.
    WarpOperation,
    /// It repeats a loop that changes nothing, and reads this memory; empty if it reads none.
    Loop(String),
    /// It has come to the end of the kernel, or has returned.
    Ended,
}

impl Machine<'_, '_> {
    /// The recorder, in checking mode.
    pub(super) fn recorder(&self) -> Option<RefMut<'_, dyn Record>> {
        let check = self.check.as_ref()?;
        Some(RefMut::map(check.borrow_mut(), |check| &mut **check))
    }

    /// A barrier among threads of the running block.
    fn block_barrier(&self, check: &mut dyn Record, threads: impl Iterator<Item = usize>) {
        let block = check.block();
        let threads: Vec<(usize, usize)> = threads.map(|thread| (block, thread)).collect();
        check.barrier(&threads);
    }

    /// The threads of a tile execute a warp operation.
    pub(super) fn record_exchange(&self, number: usize, lanes: &[Thread]) {
        let Some(mut check) = self.recorder() else { return };
        let waiting = |thread: &Thread| thread.state == State::Exchanging;
        self.record_skips(&mut *check, number, lanes, &waiting);
        let orders = (lanes.iter().find_map(|thread| thread.offer.as_ref()))
            .is_some_and(|offer| offer.intrinsic.row().orders_memory);
        if orders {
            let there = lanes.iter().enumerate().filter(|(_, thread)| waiting(thread));
            self.block_barrier(&mut *check, there.map(|(lane, _)| number + lane));
        }
    }

    /// The barrier of a block opens.
    pub(super) fn record_barrier(&self, threads: &[Thread]) {
        let Some(mut check) = self.recorder() else { return };
        let waiting = |thread: &Thread| thread.state == State::Waiting;
        self.record_skips(&mut *check, 0, threads, &waiting);
        let there = threads.iter().enumerate().filter(|(_, thread)| waiting(thread));
        self.block_barrier(&mut *check, there.map(|(number, _)| number));
    }

    /// Reports threads that have come to the end of the kernel while others wait for them. Those that return before are
    /// not waited for.
    fn record_skips(
        &self,
        check: &mut dyn Record,
        first: usize,
        threads: &[Thread],
        waiting: &dyn Fn(&Thread) -> bool,
    ) {
        let has_ended = |thread: &Thread| thread.state == State::Left && thread.has_ended;
        if threads.iter().any(has_ended) {
            let block = check.block();
            let those = threads
                .iter()
                .enumerate()
                .filter(|(_, thread)| has_ended(thread) || waiting(thread));
            let those = those.map(|(number, thread)| {
                let (does, span) = self.does(check, block, first + number, thread);
                (block, first + number, does, span)
            });
            let those = those.collect();
            check.stuck(Kind::Skipped, those);
        }
    }

    /// Reports that no thread of these blocks can go on; `None` is the running one.
    pub(super) fn record_stuck<'t>(&self, kind: Kind, blocks: impl Iterator<Item = (Option<usize>, &'t [Thread])>) {
        let Some(mut check) = self.recorder() else { return };
        let mut all = Vec::new();
        for (block, threads) in blocks {
            let block = block.unwrap_or(check.block());
            for (number, thread) in threads.iter().enumerate() {
                let (does, span) = self.does(&*check, block, number, thread);
                all.push((block, number, does, span));
            }
        }
        // A thread that has ended matters where others wait at barriers.
        let (ended, mut all): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, _, does, _)| *does == Does::Ended);
        all.extend(ended);
        check.stuck(kind, all);
    }

    fn does(&self, check: &dyn Record, block: usize, number: usize, thread: &Thread) -> (Does, Span) {
        let does = match thread.state {
            State::Ready => {
                let (object, span) = check.polled(block, number).unwrap_or_default();
                return (Does::Loop(object), span);
            }
            State::Waiting => Does::Barrier,
            State::Exchanging => Does::WarpOperation,
            State::AtGrid => Does::GridBarrier,
            State::AtCluster => Does::ClusterBarrier,
            State::Named(AtBarrier::Arriving { barrier, .. } | AtBarrier::Held { barrier, .. }) => {
                Does::NamedBarrier(barrier)
            }
            State::Named(_) | State::Left => return (Does::Ended, Span::NONE),
        };
        (does, thread.span(self))
    }

    /// Lets threads arrive at named barriers and pass them; true if any did.
    pub(super) fn pass_named(&mut self, threads: &mut [Thread]) -> bool {
        let before: Vec<AtBarrier> = match self.check {
            Some(_) => threads.iter().map(Arrives::at).collect(),
            None => Vec::new(),
        };
        let passed = self.named_mut().pass(threads);
        let Some(mut check) = self.recorder() else {
            return passed;
        };
        for (number, (thread, before)) in threads.iter_mut().zip(&before).enumerate() {
            if let (Some(opening), AtBarrier::Arriving { barrier, waits, .. }) = (thread.arrived.take(), *before) {
                check.arrive(number, barrier, opening);
                thread.opening = waits.then_some(opening);
            }
        }
        for (number, (thread, before)) in threads.iter_mut().zip(&before).enumerate() {
            if let (AtBarrier::Arriving { barrier, .. } | AtBarrier::Held { barrier, .. }, State::Ready) =
                (*before, thread.state)
                && let Some(opening) = thread.opening.take()
            {
                check.pass(number, barrier, opening);
            }
        }
        passed
    }
}
