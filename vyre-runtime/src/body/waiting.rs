//! Blocks that wait in loops for other blocks of their launch.
//!
//! A worker runs one block at a time. A block *waits* while none of its threads can go on. Once all workers have
//! blocks that wait, as many more workers start on the blocks that are left: each block runs in the end, whichever waits
//! for which. The workers double each time, so that no block waits for more rounds than the number of blocks has digits.
//!
//! **Standstill.** A waiting block is *still* if in its last pass its threads have only polled what they wait for.
//! Where no block is left to start, every block waits, and each was still in a pass that began after the last change by
//! another, nothing changes any more: each block faults where it waits. A block may change memory as long as it does
//! not wait, so the changes of a worker are over when it *stops*: when its block begins to wait, or when it has no
//! more blocks.
//!
//! A loop that may write, or counts, is never still. It might go on by itself.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

use crate::sync::{Condvar, Mutex, MutexGuard};

/// Polls of a waiting block before its worker sleeps between them.
const POLLS: u32 = 64;

/// The first sleep between two polls. It doubles with each up to [`DOUBLINGS`] times, to 10 ms.
const SLEEP: Duration = Duration::from_micros(20);
const DOUBLINGS: u32 = 9;

/// Polls of a block that is not still, for each waiting block, before another worker starts: such a block may be busy,
/// and then needs no other. Nor does it sleep.
const BUSY_POLLS: u32 = 64;

/// The workers of a launch.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    state: Mutex<State>,
    /// Notified of each change of the state that a waiting block may wait for.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Workers whose blocks do not wait.
    running: usize,
    /// Blocks that wait.
    waiting: usize,
    /// Blocks that wait and were not still in their last pass.
    busy: usize,
    /// Blocks that were still in a pass that began after the last stop.
    still: usize,
    /// The number of stops.
    stops: u64,
    /// True once the launch stands still.
    stuck: bool,
}

/// A worker of a launch.
pub(crate) struct Worker<'w> {
    workers: &'w Workers,
    /// Starts up to so many workers, at most one for each block that no worker has, and returns how many it has.
    start: &'w dyn Fn(usize) -> usize,
    /// Set while the block waits.
    wait: Cell<Option<Wait>>,
}

/// The wait of a block.
#[derive(Clone, Copy, Debug)]
struct Wait {
    /// The number of stops when the last pass began.
    since: u64,
    busy: bool,
    /// True if it is counted as still.
    still: bool,
    polls: u32,
}

/// How a waiting block goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// With another pass over its threads.
    Poll,
    /// Not at all: the launch stands still.
    Fault,
}

impl Workers {
    /// Adds a worker that is about to run.
    pub(crate) fn join(&self) {
        self.state.lock().running += 1;
    }

    /// True if the launch stood still.
    pub(crate) fn is_stuck(&self) -> bool {
        self.state.lock().stuck
    }

    /// The worker that has [joined](Self::join) last on this thread. Dropping it removes it.
    pub(crate) fn worker<'w>(&'w self, start: &'w dyn Fn(usize) -> usize) -> Worker<'w> {
        Worker {
            workers: self,
            start,
            wait: Cell::new(None),
        }
    }
}

impl State {
    fn stop(&mut self) {
        self.running -= 1;
        self.stops += 1;
        self.still = 0;
    }
}

impl Worker<'_> {
    /// Waits for a while after a pass in which no thread of the block went on, and which was `still` or not.
    pub(super) fn wait(&self, still: bool) -> Next {
        let mut state = self.workers.state.lock();
        let Some(mut wait) = self.wait.get() else {
            state.stop();
            state.waiting += 1;
            state.busy += usize::from(!still);
            self.wait.set(Some(Wait {
                since: state.stops,
                busy: !still,
                still: false,
                polls: 0,
            }));
            self.workers.changed.notify_all();
            return Next::Poll;
        };
        if wait.busy == still {
            wait.busy = !still;
            match still {
                true => state.busy -= 1,
                false => state.busy += 1,
            }
        }
        loop {
            if state.stuck {
                return Next::Fault;
            }
            if wait.since != state.stops {
                (wait.since, wait.still) = (state.stops, false);
                self.wait.set(Some(wait));
                return Next::Poll;
            }
            if still && !wait.still {
                wait.still = true;
                state.still += 1;
                self.wait.set(Some(wait));
                self.workers.changed.notify_all();
            }
            let patience = if still { 0 } else { state.waiting * BUSY_POLLS as usize };
            if state.running == 0 && wait.polls as usize >= patience {
                // As many as wait: all of these look again each time that others were started.
                let started = (self.start)(state.waiting);
                if started > 0 {
                    state.running += started;
                    wait.polls = 0;
                }
            }
            if state.running > 0 || state.busy > 0 {
                return self.poll_later(state, wait);
            }
            if state.still == state.waiting {
                state.stuck = true;
                self.workers.changed.notify_all();
                return Next::Fault;
            }
            // For the others to be still, too, or to go on.
            state = self.workers.changed.wait(state);
        }
    }

    /// Waits for what the others may change at any time.
    fn poll_later(&self, state: MutexGuard<'_, State>, mut wait: Wait) -> Next {
        let sleeps = wait.polls.checked_sub(POLLS).filter(|_| !wait.busy);
        wait.polls = wait.polls.saturating_add(1);
        self.wait.set(Some(wait));
        match sleeps {
            Some(sleeps) => {
                let time = SLEEP * (1 << sleeps.min(DOUBLINGS));
                drop(self.workers.changed.wait_timeout(state, time));
            }
            None => {
                drop(state);
                std::thread::yield_now();
            }
        }
        Next::Poll
    }

    /// Notes that the block goes on, or has ended.
    #[inline]
    pub(crate) fn go_on(&self) {
        if let Some(wait) = self.wait.take() {
            self.end(wait);
        }
    }

    #[cold]
    fn end(&self, wait: Wait) {
        let mut state = self.workers.state.lock();
        state.running += 1;
        state.waiting -= 1;
        state.busy -= usize::from(wait.busy);
        state.still -= usize::from(wait.still && wait.since == state.stops);
        self.workers.changed.notify_all();
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.go_on();
        let mut state = self.workers.state.lock();
        state.stop();
        // A notification is a system call, and most launches have no block that waits.
        if state.waiting > 0 {
            self.workers.changed.notify_all();
        }
    }
}

impl fmt::Debug for Worker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Worker");
        shown.field("wait", &self.wait).finish_non_exhaustive()
    }
}
