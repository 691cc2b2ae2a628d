//! The thread that watches a communicator of NCCL.
//!
//! An operation of NCCL waits on the device for the other ranks, without end if one never comes. The thread sees how far the queued
//! operations are, what the other ranks tell, and what NCCL itself has found. On a problem it first keeps the error for the next
//! wait for the device, and then aborts NCCL's communicator, which ends the operations, so that the wait returns.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::super::frame::Signature;
use super::super::mesh::{Mesh, deadline, same};
use super::library::{Comm, IN_PROGRESS, Library, SUCCESS};
use crate::{Error, Event, RankProblem, Stream};
use vyre_runtime::kernel::{keep_error, to_end};

/// The pause between two looks at operations that run.
const PAUSE: Duration = Duration::from_millis(1);

/// The time for which a call of NCCL is waited for without a sleep, whose shortest takes longer than most calls.
const AWAKE: Duration = Duration::from_micros(500);

/// The time until the thread looks again where nothing runs.
const IDLE: Duration = Duration::from_millis(50);

/// The time in which operations end after another rank has left the communicator, which it does when its own have ended.
const GRACE: Duration = Duration::from_secs(5);

/// A communicator of NCCL. Its functions are called from any thread, one at a time.
pub(super) struct Handle(pub(super) Comm);

// SAFETY: NCCL binds communicators to no thread.
unsafe impl Send for Handle {}

/// The state shared by the thread and those who queue operations.
pub(super) struct Watched {
    pub(super) library: &'static Library,
    /// `None` once it is aborted or destroyed.
    pub(super) comm: Mutex<Option<Handle>>,
    pub(super) mesh: Arc<Mesh>,
    pub(super) stream: Stream,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    pending: VecDeque<Pending>,
    /// The operations that each other rank is to tell next.
    expected: Vec<VecDeque<Signature>>,
    is_closing: bool,
    /// The problem for which the thread has ended. Nothing is watched after it.
    aborted: Option<RankProblem>,
}

/// A queued operation.
struct Pending {
    operation: String,
    before: Event,
    after: Event,
    /// When the device was seen to have come to it.
    started: Option<Instant>,
    limit: Duration,
}

impl Watched {
    pub(super) fn new(library: &'static Library, comm: Handle, mesh: &Arc<Mesh>, stream: Stream) -> Watched {
        let expected = (0..mesh.ranks()).map(|_| VecDeque::new()).collect();
        Watched {
            library,
            comm: Mutex::new(Some(comm)),
            mesh: mesh.clone(),
            stream,
            state: Mutex::new(State {
                pending: VecDeque::new(),
                expected,
                is_closing: false,
                aborted: None,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn comm(&self) -> MutexGuard<'_, Option<Handle>> {
        self.comm.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a rank is to tell of an operation.
    pub(super) fn expect(&self, from: usize, signature: &Signature) {
        self.lock().expected[from].push_back(signature.clone());
    }

    /// Notes a queued operation. If the communicator was aborted since it was queued, its result is undefined, and the caller
    /// is the only one who can tell.
    pub(super) fn add(
        &self,
        operation: String,
        before: Event,
        after: Event,
        limit: Duration,
    ) -> Result<(), RankProblem> {
        let mut state = self.lock();
        if let Some(problem) = &state.aborted {
            return Err(problem.clone());
        }
        let is_first = state.pending.is_empty();
        state.pending.push_back(Pending {
            operation,
            before,
            after,
            started: None,
            limit,
        });
        drop(state);
        // Where operations run, the thread looks again soon, and would stand in the way of the next call.
        if is_first {
            self.changed.notify_all();
        }
        Ok(())
    }

    /// Ends the thread once all operations are done.
    pub(super) fn close(&self) {
        self.lock().is_closing = true;
        self.changed.notify_all();
    }

    /// Waits until NCCL has done what it was called for, or the communicator has failed, or the time is over.
    pub(super) fn settle(&self, call: &str, code: u32, comm: Comm, limit: Duration) -> Result<(), RankProblem> {
        let (began, until, mut code) = (Instant::now(), deadline(limit), code);
        while code == IN_PROGRESS {
            let mut state = SUCCESS;
            // SAFETY: the communicator exists, by the contract of the callers, and the pointer is valid for a write.
            let asked = unsafe { (self.library.ncclCommGetAsyncError)(comm, &raw mut state) };
            code = if asked == SUCCESS { state } else { asked };
            if code != IN_PROGRESS {
                break;
            }
            if let Some(problem) = self.mesh.failure() {
                return Err(problem);
            }
            let now = Instant::now();
            if now >= until {
                return Err(RankProblem::Timeout {
                    other: None,
                    operation: format!("`{call}`"),
                    limit,
                });
            }
            match now - began < AWAKE {
                // NCCL works in a thread of its own, which may need this processor.
                true => thread::yield_now(),
                false => thread::sleep(Duration::from_micros(20)),
            }
        }
        match code {
            SUCCESS => Ok(()),
            _ => Err(self.library.problem(call, code, comm)),
        }
    }

    /// The body of the thread.
    pub(super) fn watch(&self) {
        let mut left = None;
        loop {
            let problem = match self.mesh.failure() {
                Some(problem) => Some(problem),
                None => self.look(&mut left).err().map(|problem| self.mesh.fail(problem)),
            };
            if let Some(problem) = problem {
                return self.abort(problem);
            }
            let state = self.lock();
            if state.pending.is_empty() && state.is_closing {
                drop(state);
                return self.finish();
            }
            let pause = if state.pending.is_empty() { IDLE } else { PAUSE };
            drop(self.changed.wait_timeout(state, pause));
        }
    }

    /// Looks for a problem of the operations, of other ranks and of NCCL. `left` is when a rank was first seen to have left.
    fn look(&self, left: &mut Option<(usize, Instant)>) -> Result<(), RankProblem> {
        let mut state = self.lock();
        for (from, expected) in state.expected.iter_mut().enumerate() {
            while let Some(own) = expected.front() {
                let Some(theirs) = self.mesh.try_receive(from)? else {
                    break;
                };
                same(from, own, &theirs)?;
                expected.pop_front();
            }
        }
        let failed = |error: Error| RankProblem::Failed {
            other: self.mesh.rank(),
            reason: error.to_string(),
        };
        while let Some(first) = state.pending.front_mut() {
            if first.after.is_done().map_err(failed)? {
                state.pending.pop_front();
                *left = None;
                continue;
            }
            if first.started.is_none() && first.before.is_done().map_err(failed)? {
                first.started = Some(Instant::now());
            }
            if first.started.is_some_and(|started| started.elapsed() > first.limit) {
                return Err(RankProblem::Timeout {
                    other: None,
                    operation: first.operation.clone(),
                    limit: first.limit,
                });
            }
            if let Some(other) = self.mesh.ended() {
                let (other, since) = *left.get_or_insert_with(|| (other, Instant::now()));
                // One that waits for earlier work of the device waits for no rank yet.
                if first
                    .started
                    .is_some_and(|started| started.max(since).elapsed() > GRACE)
                {
                    return Err(RankProblem::Ended { other });
                }
            }
            break;
        }
        drop(state);
        // One that is being used is looked at by its user.
        if let Ok(comm) = self.comm.try_lock()
            && let Some(Handle(comm)) = *comm
        {
            let mut code = SUCCESS;
            // SAFETY: the communicator exists while the lock is held, and the pointer is valid for a write.
            unsafe { (self.library.ncclCommGetAsyncError)(comm, &raw mut code) };
            if code != SUCCESS && code != IN_PROGRESS {
                return Err(self.library.problem("an operation", code, comm));
            }
        }
        Ok(())
    }

    /// Ends all operations, whose results are undefined: the next wait for the device tells that.
    fn abort(&self, problem: RankProblem) {
        let mut state = self.lock();
        state.aborted = Some(problem.clone());
        let is_untold = !state.pending.is_empty();
        drop(state);
        if is_untold {
            let error = Error::Ranks {
                rank: self.mesh.rank(),
                ranks: self.mesh.ranks(),
                problem: Box::new(problem),
            };
            keep_error(&self.stream, error);
        }
        if let Some(Handle(comm)) = self.comm().take() {
            // SAFETY: the communicator exists, and is taken out, so no other thread uses it later.
            let aborted = to_end(&self.stream, || unsafe { (self.library.ncclCommAbort)(comm) });
            // A lost device takes the communicator with it.
            drop(aborted);
        }
    }

    /// Destroys the communicator, with no operations left. Other ranks may still have some.
    fn finish(&self) {
        let Some(Handle(comm)) = self.comm().take() else { return };
        let destroyed = to_end(&self.stream, || {
            // SAFETY: the communicator exists, and is taken out, so nobody else uses it.
            let code = unsafe { (self.library.ncclCommFinalize)(comm) };
            match self.settle("ncclCommFinalize", code, comm, GRACE) {
                // SAFETY: as above; it is finalised.
                Ok(()) => unsafe { (self.library.ncclCommDestroy)(comm) },
                // SAFETY: as above.
                Err(_) => unsafe { (self.library.ncclCommAbort)(comm) },
            }
        });
        // A lost device takes the communicator with it.
        drop(destroyed);
    }
}
