//! The grid barrier: the blocks run on their own threads.

use super::thread::Spot;
use crate::sync::{Condvar, Mutex};

/// The barrier of all blocks of a cooperative launch.
#[derive(Debug)]
pub(crate) struct GridBarrier {
    state: Mutex<State>,
    /// Notified when the barrier has opened, or never will.
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// All blocks.
    blocks: u64,
    /// Blocks that wait.
    arrived: u64,
    /// The barrier at which the first of them waits.
    at: Option<Spot>,
    /// True once blocks have come to different barriers, which never open.
    apart: bool,
    /// Number of barriers opened so far.
    opened: u64,
    /// True once a block has ended by a fault, so that nothing opens any more.
    broken: bool,
    /// True once a block has ended as it should. Then every barrier has opened, or that block has missed
    /// one.
    ended: bool,
}

/// The outcome of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All blocks have arrived.
    Opened,
    /// A block has faulted.
    Broken,
    /// A block has ended without arriving, or waits at another barrier.
    Missed,
}

/// A participating block. Dropping it leaves the barrier.
pub(crate) struct Member<'b> {
    barrier: &'b GridBarrier,
    broken: bool,
}

impl GridBarrier {
    pub(crate) fn new(blocks: u64) -> Self {
        GridBarrier {
            state: Mutex::new(State {
                blocks,
                arrived: 0,
                at: None,
                apart: false,
                opened: 0,
                broken: false,
                ended: false,
            }),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn member(&self) -> Member<'_> {
        Member {
            barrier: self,
            broken: true,
        }
    }

    /// Waits until all blocks have arrived at a barrier, or never will.
    pub(super) fn wait(&self, spot: Spot) -> Outcome {
        let mut state = self.state.lock();
        state.arrived += 1;
        let barrier = state.opened;
        if *state.at.get_or_insert(spot) != spot {
            state.apart = true;
        }
        if state.arrived == state.blocks && !state.is_over() {
            state.arrived = 0;
            state.at = None;
            state.opened += 1;
            self.changed.notify_all();
        }
        // Blocks that are apart wait for all others, too: then the lowest of them tells its fault, in each run.
        if state.apart && state.arrived == state.blocks {
            state.ended = true;
            self.changed.notify_all();
        }
        while state.opened == barrier && !state.broken && !state.ended {
            state = self.changed.wait(state);
        }
        match *state {
            State { opened, .. } if opened != barrier => Outcome::Opened,
            State { apart: true, .. } => Outcome::Missed,
            State { broken: true, .. } => Outcome::Broken,
            _ => Outcome::Missed,
        }
    }
}

impl State {
    /// True if no barrier opens any more.
    fn is_over(&self) -> bool {
        self.broken || self.ended || self.apart
    }
}

impl Member<'_> {
    /// Leaves the barrier at the end of the block, with or without a fault.
    pub(crate) fn leave(mut self, faulted: bool) {
        self.broken = faulted;
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        let mut state = self.barrier.state.lock();
        state.broken |= self.broken;
        state.ended |= !self.broken;
        self.barrier.changed.notify_all();
    }
}
