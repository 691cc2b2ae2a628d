//! The barrier of a whole grid, whose blocks run on threads of their own.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The barrier of all blocks of a cooperative launch.
#[derive(Debug)]
pub(crate) struct GridBarrier {
    state: Mutex<State>,
    /// The barrier has opened, or never will.
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// All blocks.
    blocks: u64,
    /// Those of them that wait.
    arrived: u64,
    /// Barriers that have opened.
    opened: u64,
    /// True once a block has ended by a fault, so that nothing opens any more.
    broken: bool,
    /// True once a block has ended as it should. Then every barrier has opened, or that block has missed
    /// one.
    ended: bool,
}

/// How a block goes on from a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All blocks have come.
    Opened,
    /// A block has faulted.
    Broken,
    /// A block has ended without coming.
    Missed,
}

/// A block that takes part. It leaves when this is dropped.
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

    /// Waits until all blocks are here, or it is known that they never will be.
    pub(super) fn wait(&self) -> Outcome {
        let mut state = self.state();
        state.arrived += 1;
        let barrier = state.opened;
        if state.arrived == state.blocks && !state.broken && !state.ended {
            state.arrived = 0;
            state.opened += 1;
            self.changed.notify_all();
        }
        while state.opened == barrier && !state.broken && !state.ended {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match *state {
            State { opened, .. } if opened != barrier => Outcome::Opened,
            State { broken: true, .. } => Outcome::Broken,
            _ => Outcome::Missed,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member<'_> {
    /// The block has ended, by a fault or as it should.
    pub(crate) fn leave(mut self, faulted: bool) {
        self.broken = faulted;
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        let mut state = self.barrier.state();
        state.broken |= self.broken;
        state.ended |= !self.broken;
        self.barrier.changed.notify_all();
    }
}
