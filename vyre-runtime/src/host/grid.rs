//! The barrier of a whole grid, whose blocks run on threads of their own.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Where the blocks of a cooperative launch wait for each other.
#[derive(Debug)]
pub(super) struct GridBarrier {
    state: Mutex<State>,
    /// The barrier has opened, or never will.
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Blocks that have not ended.
    present: u64,
    /// Those of them that wait.
    arrived: u64,
    /// Barriers that have opened.
    opened: u64,
    /// Whether a block has ended by a fault, so that nothing opens any more.
    broken: bool,
}

/// A block that takes part. It leaves when this is dropped.
pub(super) struct Member<'b> {
    barrier: &'b GridBarrier,
    broken: bool,
}

impl GridBarrier {
    pub(super) fn new(blocks: u64) -> Self {
        GridBarrier {
            state: Mutex::new(State {
                present: blocks,
                arrived: 0,
                opened: 0,
                broken: false,
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn member(&self) -> Member<'_> {
        Member {
            barrier: self,
            broken: true,
        }
    }

    /// Waits until all blocks that have not ended are here; false where one has ended by a fault.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.state();
        state.arrived += 1;
        let barrier = state.opened;
        state.open();
        self.changed.notify_all();
        while state.opened == barrier && !state.broken {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.opened != barrier
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Opens the barrier if all are there.
    fn open(&mut self) {
        if self.arrived == self.present && !self.broken {
            self.arrived = 0;
            self.opened += 1;
        }
    }
}

impl Member<'_> {
    /// The block has ended, by a fault or as it should.
    pub(super) fn leave(mut self, faulted: bool) {
        self.broken = faulted;
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        let mut state = self.barrier.state();
        state.present -= 1;
        state.broken |= self.broken;
        if state.present > 0 {
            state.open();
        }
        self.barrier.changed.notify_all();
    }
}
