//! The thread that watches a communicator of NCCL.
//!
//! An operation of NCCL waits on the device for the other ranks, without end if one never comes, and its call may wait for them on
//! the host, where it connects to them. The thread sees how far the queued operations are, how long a call takes, what the other
//! ranks tell, and what NCCL itself has found. On a problem it first notes the failure of the queued operations, and then aborts
//! NCCL's communicator, which ends the operations and the call.
//!
//! Calls block: those of a communicator whose calls return at once each start a thread, which takes longer than the operation. A
//! call that blocks is ended from here. `ncclCommAbort` inside of a group sets the flags which everything that waits looks at, and
//! gives back memory when the group ends: after the call has returned.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::frame::Signature;
use super::super::mesh::{Mesh, same};
use super::library::{Comm, IN_PROGRESS, Library, SUCCESS};
use super::together::{Text, Together};
use vyre::{Error, Event, RankProblem, Stream};
use vyre_runtime::kernel::{Noted, Work, to_end};

/// The pause between two looks at operations that run.
const PAUSE: Duration = Duration::from_millis(1);

/// The time until the thread looks again where nothing runs. Nothing wakes it sooner: that would cost each operation more than
/// its own call.
const IDLE: Duration = Duration::from_millis(20);

/// The time after the last operation until the thread is idle. Before that it soon sees that operations are done, and the events
/// of these are recorded again by later ones, which make none.
const AWAKE: Duration = Duration::from_millis(100);

/// The time in which operations end after another rank has left the communicator, which it does when its own have ended.
const GRACE: Duration = Duration::from_secs(5);

/// The time that a message to another rank may take to be sent. The other rank reads without being asked.
const SEND: Duration = Duration::from_secs(10);

/// A communicator of NCCL. Its functions are called from any thread, one at a time, but for `ncclCommAbort`.
#[derive(Clone, Copy)]
pub(super) struct Handle(pub(super) Comm);

// SAFETY: NCCL binds communicators to no thread.
unsafe impl Send for Handle {}

/// The state shared by the thread and those who queue operations.
pub(super) struct Watched {
    pub(super) library: &'static Library,
    /// Locked during calls. `None` before it is made, and once it is aborted or destroyed.
    pub(super) comm: Mutex<Option<Handle>>,
    pub(super) mesh: Arc<Mesh>,
    /// The other ranks, if they are of this process.
    pub(super) together: Option<Arc<Together>>,
    pub(super) stream: Stream,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The same as `comm`, for the thread while a call has that.
    handle: Option<Handle>,
    /// The state of the stream of the last operation when that was queued.
    last: Option<Work>,
    /// The current call, its start and its time limit.
    calling: Option<(Text, Instant, Duration)>,
    pending: VecDeque<Pending>,
    /// The operations to tell other ranks.
    telling: VecDeque<(usize, Signature)>,
    /// The operations that each other rank is to tell next.
    expected: Vec<VecDeque<Signature>>,
    is_closing: bool,
    /// The problem for which the thread has ended. Nothing is watched after it.
    aborted: Option<RankProblem>,
}

/// A queued operation.
pub(super) struct Pending {
    pub(super) operation: Text,
    /// `None` where it follows the operation before it.
    pub(super) before: Option<Event>,
    pub(super) after: Event,
    pub(super) limit: Duration,
    pub(super) noted: Noted,
    /// The state of its stream when it was queued.
    pub(super) work: Option<Work>,
}

impl Watched {
    pub(super) fn new(
        library: &'static Library,
        mesh: &Arc<Mesh>,
        together: Option<Arc<Together>>,
        stream: Stream,
    ) -> Watched {
        let expected = (0..mesh.ranks()).map(|_| VecDeque::new()).collect();
        Watched {
            library,
            comm: Mutex::new(None),
            mesh: mesh.clone(),
            together,
            stream,
            state: Mutex::new(State {
                handle: None,
                last: None,
                calling: None,
                pending: VecDeque::new(),
                telling: VecDeque::new(),
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

    /// Makes a communicator known that `begun` is to complete.
    pub(super) fn set(&self, comm: &mut Option<Handle>, handle: Handle) {
        *comm = Some(handle);
        self.lock().handle = Some(handle);
    }

    /// Notes that a rank is to tell of an operation.
    pub(super) fn expect(&self, from: usize, signature: &Signature) {
        self.lock().expected[from].push_back(signature.clone());
    }

    /// Notes an operation to tell a rank. Nobody waits for that.
    pub(super) fn tell(&self, to: usize, signature: &Signature) {
        self.lock().telling.push_back((to, signature.clone()));
    }

    /// Calls NCCL. Whoever calls this has locked `comm`. The call is ended if other ranks do not come in time, or fail.
    pub(super) fn call(
        &self,
        text: Text,
        limit: Duration,
        call: impl FnOnce() -> (&'static str, u32),
    ) -> Result<(), RankProblem> {
        let mut state = self.lock();
        if let Some(problem) = &state.aborted {
            return Err(problem.clone());
        }
        state.calling = Some((text, Instant::now(), limit));
        drop(state);
        let (name, code) = call();
        let mut state = self.lock();
        state.calling = None;
        if let Some(problem) = &state.aborted {
            return Err(problem.clone());
        }
        let handle = state.handle;
        drop(state);
        match (code, handle) {
            (SUCCESS, _) => Ok(()),
            (_, Some(Handle(comm))) => Err(self.library.problem(name, code, comm)),
            (_, None) => Err(self.library.problem(name, code, std::ptr::null_mut())),
        }
    }

    /// Notes a queued operation. If the communicator was aborted since it was queued, its result is undefined, and the caller
    /// is the only one who can tell.
    pub(super) fn add(&self, pending: Pending) -> Result<(), RankProblem> {
        let mut state = self.lock();
        if let Some(problem) = &state.aborted {
            return Err(problem.clone());
        }
        state.last = pending.work;
        state.pending.push_back(pending);
        Ok(())
    }

    /// True if a stream was told nothing since the last operation was queued on it.
    pub(super) fn is_last(&self, work: Work) -> bool {
        self.lock().last == Some(work)
    }

    /// Ends the thread once all operations are done.
    pub(super) fn close(&self) {
        self.lock().is_closing = true;
        self.changed.notify_all();
    }

    /// The body of the thread.
    pub(super) fn watch(&self) {
        let mut looks = Looks::default();
        let mut active = Instant::now();
        loop {
            let problem = match self.mesh.failure() {
                Some(problem) => Some(problem),
                None => self.look(&mut looks).err().map(|problem| self.mesh.fail(problem)),
            };
            if let Some(problem) = problem {
                return self.abort(problem);
            }
            let state = self.lock();
            let is_done = state.pending.is_empty() && state.telling.is_empty();
            if is_done && state.is_closing {
                drop(state);
                return self.finish();
            }
            if !is_done {
                active = Instant::now();
            }
            let pause = if active.elapsed() > AWAKE { IDLE } else { PAUSE };
            drop(self.changed.wait_timeout(state, pause));
        }
    }

    /// Looks for a problem of the operations, of other ranks and of NCCL.
    fn look(&self, looks: &mut Looks) -> Result<(), RankProblem> {
        let telling = std::mem::take(&mut self.lock().telling);
        for (to, signature) in telling {
            self.mesh.send(to, (signature, Arc::default()), SEND)?;
        }
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
        if let Some((text, since, limit)) = &state.calling {
            // One that waits on the host for a rank that has left.
            looks.waits(&self.mesh, text, *since, *limit)?;
        }
        // Those who queue operations need the lock.
        let mut pending = std::mem::take(&mut state.pending);
        drop(state);
        let looked = looks.at(&mut pending, &self.mesh);
        let mut state = self.lock();
        pending.append(&mut state.pending);
        state.pending = pending;
        drop(state);
        looked?;
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

    /// Ends all operations, whose results are undefined: a wait for their streams tells that, and who looks at the results.
    fn abort(&self, problem: RankProblem) {
        let mut state = self.lock();
        state.aborted = Some(problem.clone());
        // One that is being made has a handle soon.
        while state.handle.is_none() && state.calling.is_some() {
            let waited = self.changed.wait_timeout(state, PAUSE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let (handle, pending) = (state.handle.take(), std::mem::take(&mut state.pending));
        drop(state);
        if let Some(together) = &self.together {
            together.fail();
        }
        for one in pending {
            one.noted.fail(Error::Ranks {
                rank: self.mesh.rank(),
                ranks: self.mesh.ranks(),
                problem: Box::new(problem.clone()),
            });
        }
        if let Some(handle) = handle {
            self.give_back(|| {
                // SAFETY: the communicator exists until the group ends. The function may be called beside another.
                unsafe { (self.library.ncclCommAbort)(handle.0) };
            });
        }
    }

    /// Destroys the communicator, with no operations left. Other ranks may still have some.
    fn finish(&self) {
        let Some(Handle(comm)) = self.lock().handle.take() else {
            return;
        };
        // NCCL frees the memory of the ranks of one process when the last one is destroyed. A process waits for the others.
        let is_last = self.together.is_some() || self.mesh.ranks() == 1 || {
            self.mesh.close();
            let until = Instant::now() + GRACE;
            while !self.mesh.is_last() && self.mesh.failure().is_none() && Instant::now() < until {
                std::thread::sleep(PAUSE);
            }
            self.mesh.is_last()
        };
        self.give_back(|| match is_last {
            // SAFETY: the communicator exists until the group ends, and nobody else has it.
            true => unsafe { (self.library.ncclCommDestroy)(comm) },
            // SAFETY: as above.
            false => unsafe { (self.library.ncclCommAbort)(comm) },
        });
    }

    /// Gives back a communicator by a function of NCCL, which frees memory when the group ends, after a call that uses it.
    fn give_back<R>(&self, by: impl FnOnce() -> R) {
        let given = to_end(&self.stream, || {
            // SAFETY: it has no arguments.
            unsafe { (self.library.ncclGroupStart)() };
            by();
            let _ = self.comm().take();
            let end = || {
                // SAFETY: as above; a group was started.
                unsafe { (self.library.ncclGroupEnd)() };
            };
            match &self.together {
                // To free memory waits for the device, on which an operation may wait for one that is not queued yet.
                Some(together) => together.alone(end),
                None => end(),
            }
        });
        // A lost device takes the communicator with it.
        drop(given);
    }
}

/// The progress that the thread has seen of the next operation.
#[derive(Default)]
struct Looks {
    /// When the device was seen to have come to it.
    started: Option<Instant>,
    /// A rank that was seen to have left, and when.
    left: Option<(usize, Instant)>,
}

impl Looks {
    /// Drops the operations that are done, and looks at the next one.
    fn at(&mut self, pending: &mut VecDeque<Pending>, mesh: &Mesh) -> Result<(), RankProblem> {
        let failed = |error: Error| RankProblem::Failed {
            other: mesh.rank(),
            reason: error.to_string(),
        };
        while let Some(first) = pending.front() {
            if first.after.is_done().map_err(failed)? {
                pending.pop_front();
                (self.started, self.left) = (None, None);
                continue;
            }
            let has_begun = |before: &Event| before.is_done().map_err(failed);
            if self.started.is_none() && first.before.as_ref().map_or(Ok(true), has_begun)? {
                self.started = Some(Instant::now());
            }
            return match self.started {
                Some(started) => self.waits(mesh, &first.operation, started, first.limit),
                None => Ok(()),
            };
        }
        Ok(())
    }

    /// An error for what waits for other ranks since a moment, if that takes too long, or one of them has left.
    fn waits(&mut self, mesh: &Mesh, text: &Text, since: Instant, limit: Duration) -> Result<(), RankProblem> {
        if since.elapsed() > limit {
            return Err(RankProblem::Timeout {
                other: None,
                operation: text.to_string(),
                limit,
            });
        }
        let Some(other) = mesh.ended() else { return Ok(()) };
        let (other, left) = *self.left.get_or_insert_with(|| (other, Instant::now()));
        // One that waits for earlier work of the device waits for no rank yet.
        match since.max(left).elapsed() > GRACE {
            true => Err(RankProblem::Ended { other }),
            false => Ok(()),
        }
    }
}
