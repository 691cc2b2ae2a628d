//! What the threads of a block tell the recorder when they wait for each other.

use std::cell::RefMut;

use vyre_abi::semantics::named_barrier::{Arrives, AtBarrier};

use super::{Does, Kind, Recorder};
use crate::interp::block::Machine;
use crate::interp::thread::{State, Thread};
use crate::ir::Span;

impl Machine<'_, '_> {
    /// The recorder, in checking mode.
    pub(in crate::interp) fn recorder(&self) -> Option<RefMut<'_, Recorder>> {
        self.check.as_ref().map(|check| check.borrow_mut())
    }

    /// The threads of a tile execute a warp operation.
    pub(in crate::interp) fn record_exchange(&self, number: usize, lanes: &[Thread]) {
        let Some(mut check) = self.recorder() else { return };
        let waiting = |thread: &Thread| thread.state == State::Exchanging;
        self.record_skips(&mut check, number, lanes, &waiting);
        let orders = (lanes.iter().find_map(|thread| thread.offer.as_ref()))
            .is_some_and(|offer| offer.intrinsic.row().orders_memory);
        if orders {
            let there = lanes.iter().enumerate().filter(|(_, thread)| waiting(thread));
            check.block_barrier(there.map(|(lane, _)| number + lane));
        }
    }

    /// The barrier of a block opens.
    pub(in crate::interp) fn record_barrier(&self, threads: &[Thread]) {
        let Some(mut check) = self.recorder() else { return };
        let waiting = |thread: &Thread| thread.state == State::Waiting;
        self.record_skips(&mut check, 0, threads, &waiting);
        let there = threads.iter().enumerate().filter(|(_, thread)| waiting(thread));
        check.block_barrier(there.map(|(number, _)| number));
    }

    /// Reports threads that have come to the end of the kernel while others wait for them. Those that return before are
    /// not waited for.
    fn record_skips(&self, check: &mut Recorder, first: usize, threads: &[Thread], waiting: &dyn Fn(&Thread) -> bool) {
        let has_ended = |thread: &Thread| thread.state == State::Left && thread.has_ended;
        if threads.iter().any(has_ended) {
            let block = check.block;
            let those = threads
                .iter()
                .enumerate()
                .filter(|(_, thread)| has_ended(thread) || waiting(thread));
            let those = those.map(|(number, thread)| {
                let (does, span) = self.does(check, block, first + number, thread);
                (block, first + number, does, span)
            });
            let those: Vec<_> = those.collect();
            check.stuck(Kind::Skipped, those.into_iter());
        }
    }

    /// Reports that no thread of these blocks can go on; `None` is the running one.
    pub(in crate::interp) fn record_stuck<'t>(
        &self,
        kind: Kind,
        blocks: impl Iterator<Item = (Option<usize>, &'t [Thread])>,
    ) {
        let Some(mut check) = self.recorder() else { return };
        let mut all = Vec::new();
        for (block, threads) in blocks {
            let block = block.unwrap_or(check.block);
            for (number, thread) in threads.iter().enumerate() {
                let (does, span) = self.does(&check, block, number, thread);
                all.push((block, number, does, span));
            }
        }
        // A thread that has ended matters where others wait at barriers.
        all.sort_by_key(|(_, _, does, _)| *does == Does::Ended);
        check.stuck(kind, all.into_iter());
    }

    fn does(&self, check: &Recorder, block: usize, number: usize, thread: &Thread) -> (Does, Span) {
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
    pub(in crate::interp) fn pass_named(&mut self, threads: &mut [Thread]) -> bool {
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
