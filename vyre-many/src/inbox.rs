//! The messages that have arrived for a rank.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::frame::Signature;
use vyre::RankProblem;

/// A part of an operation.
pub(super) type Parcel = (Signature, Arc<Vec<u8>>);

/// The messages that have arrived for a rank: a queue for each other rank.
#[derive(Debug)]
pub(super) struct Inbox {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    senders: Vec<Sender>,
    /// The first problem. Nothing is received after it.
    failure: Option<RankProblem>,
}

#[derive(Debug, Default)]
struct Sender {
    parcels: VecDeque<Parcel>,
    has_ended: bool,
}

impl Inbox {
    pub(super) fn new(ranks: usize) -> Inbox {
        Inbox {
            state: Mutex::new(State {
                senders: (0..ranks).map(|_| Sender::default()).collect(),
                failure: None,
            }),
            changed: Condvar::new(),
        }
    }

    /// The state is whole at any time, also after a panic.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, from: usize, parcel: Parcel) {
        self.lock().senders[from].parcels.push_back(parcel);
        self.changed.notify_all();
    }

    /// Notes that a rank sends nothing more.
    pub(super) fn end(&self, from: usize) {
        self.lock().senders[from].has_ended = true;
        self.changed.notify_all();
    }

    /// True if a rank sends nothing more.
    #[cfg(feature = "nccl")]
    pub(super) fn has_ended(&self, from: usize) -> bool {
        self.lock().senders[from].has_ended
    }

    /// Notes a problem, and returns the first that was noted.
    pub(super) fn fail(&self, problem: RankProblem) -> RankProblem {
        let first = self.lock().failure.get_or_insert(problem).clone();
        self.changed.notify_all();
        first
    }

    /// The first problem.
    pub(super) fn failure(&self) -> Option<RankProblem> {
        self.lock().failure.clone()
    }

    /// The next message from a rank; `None` if none arrives until a moment.
    pub(super) fn receive(&self, from: usize, deadline: Instant) -> Result<Option<Parcel>, RankProblem> {
        let mut state = self.lock();
        loop {
            if let Some(failure) = &state.failure {
                return Err(failure.clone());
            }
            let sender = &mut state.senders[from];
            if let Some(parcel) = sender.parcels.pop_front() {
                return Ok(Some(parcel));
            }
            if sender.has_ended {
                return Err(RankProblem::Ended { other: from });
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return Ok(None);
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
