//! The ranks of one process, which compare what they call, and wait for each other where communicators share devices.
//!
//! An operation of NCCL waits on its device for the other ranks, and keeps what is queued behind it. Where other communicators have
//! the same devices, an operation is therefore queued when all ranks that take part have called it, with one place in the order of
//! all communicators: a rank that stays away, or calls something else, is an error of the calls. A communicator that has its
//! devices for itself queues each call at once, and holds its devices until the other ranks have called the same.
//!
//! The calls of ranks form a list of messages. An operation of all ranks is one from each rank to the next, in a ring.

use std::collections::VecDeque;
use std::hint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::super::frame::Signature;
use super::super::mesh::{Mesh, deadline, same};
use super::order::{Hold, ORDER, Owner, Place};
use vyre::{Device, Event, RankProblem, Stream};

/// The time for which a rank looks for the others without a sleep, whose shortest takes longer than most calls.
const AWAKE: Duration = Duration::from_micros(40);

/// The time until a rank that sleeps looks whether another has failed or ended.
const PAUSE: Duration = Duration::from_millis(5);

/// An operation that a rank has called.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) text: Text,
    /// To which ranks, in order.
    pub(super) sends: Vec<(usize, Signature)>,
    pub(super) receives: Vec<(usize, Signature)>,
}

/// The calls of the ranks of a communicator.
pub(crate) struct Together {
    owner: Arc<Owner>,
    state: Mutex<State>,
    changed: Condvar,
    /// The place that the call of each rank got.
    granted: Vec<Granted>,
}

/// The set that a rank's call got a place with. Each rank writes its own, in a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
struct Granted {
    is_there: AtomicBool,
    set: Mutex<Option<Arc<Placed>>>,
}

/// Calls that have a place together.
struct Placed {
    place: Place,
    /// The ranks that have still to queue theirs.
    left: AtomicUsize,
}

/// A rank's share of an operation that has a place. Dropped when it is queued, or never will be.
pub(super) struct Share<'t> {
    together: &'t Together,
    rank: usize,
    set: Arc<Placed>,
}

struct State {
    /// The calls that have no place yet.
    calls: Vec<Option<Call>>,
    /// From each rank to each rank.
    pairs: Vec<Pair>,
    /// The messages in all pairs.
    open: usize,
    sleepers: usize,
}

/// Messages from one rank to another that one of them has queued, and the other has not called: those of one side at most.
#[derive(Default)]
struct Pair {
    sent: VecDeque<Signature>,
    received: VecDeque<Signature>,
}

/// The calls that a set of ranks still lacks.
enum Set {
    /// Nothing: these ranks may queue them.
    Whole(Vec<usize>),
    /// This rank.
    Lacks(usize),
}

impl Together {
    pub(crate) fn new(devices: &[Device]) -> Together {
        Together {
            owner: ORDER.owner(devices),
            state: Mutex::new(State {
                calls: devices.iter().map(|_| None).collect(),
                pairs: (0..devices.len().pow(2)).map(|_| Pair::default()).collect(),
                open: 0,
                sleepers: 0,
            }),
            changed: Condvar::new(),
            granted: devices.iter().map(|_| Granted::default()).collect(),
        }
    }

    /// The state is whole at any time.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares an operation with what other ranks have called, and waits for them where other communicators have the same
    /// devices. The result is this rank's share in its place among all operations.
    pub(super) fn meet(&self, mesh: &Mesh, call: Call, limit: Duration) -> Result<Share<'_>, RankProblem> {
        let rank = mesh.rank();
        let (began, text) = (Instant::now(), call.text.clone());
        let mut state = self.lock();
        if let Some(problem) = mesh.failure() {
            return Err(problem);
        }
        state.calls[rank] = Some(call);
        if let Err(problem) = self.grant(&mut state, rank) {
            state.calls[rank] = None;
            return Err(problem);
        }
        drop(state);
        loop {
            if let Some(place) = self.granted(rank) {
                return Ok(place);
            }
            match began.elapsed() < AWAKE {
                true => {
                    (0..16).for_each(|_| hint::spin_loop());
                    if began.elapsed() > AWAKE / 8 {
                        // The other ranks may need this processor.
                        thread::yield_now();
                    }
                }
                false => return self.sleep(mesh, deadline(limit.saturating_sub(began.elapsed())), (text, limit)),
            }
        }
    }

    /// Gives a place to the calls that belong to that of a rank, if they are all there; else returns a rank that is not.
    fn grant(&self, state: &mut State, rank: usize) -> Result<Option<usize>, RankProblem> {
        if self.owner.is_alone() && state.is_only(rank) {
            state.compare(rank)?;
            self.place(state, &[rank]);
            return Ok(None);
        }
        match state.set_of(rank)? {
            Set::Whole(ranks) => self.place(state, &ranks),
            Set::Lacks(_) if self.owner.is_alone() => self.place(state, &[rank]),
            Set::Lacks(other) => return Ok(Some(other)),
        }
        Ok(None)
    }

    /// Gives a place to the calls of these ranks.
    fn place(&self, state: &mut State, ranks: &[usize]) {
        let hold = state.take(ranks);
        let set = Arc::new(Placed {
            place: ORDER.enter(&self.owner, ranks, hold),
            left: AtomicUsize::new(ranks.len()),
        });
        for &one in ranks {
            let granted = &self.granted[one];
            *granted.set.lock().unwrap_or_else(PoisonError::into_inner) = Some(set.clone());
            granted.is_there.store(true, Ordering::Release);
        }
        if state.sleepers > 0 {
            self.changed.notify_all();
        }
    }

    /// The share of a rank in an operation that got its place, once.
    fn granted(&self, rank: usize) -> Option<Share<'_>> {
        let granted = &self.granted[rank];
        // Looked at again and again by one that waits.
        if !granted.is_there.load(Ordering::Acquire) {
            return None;
        }
        granted.is_there.store(false, Ordering::Relaxed);
        let set = granted.set.lock().unwrap_or_else(PoisonError::into_inner).take();
        set.map(|set| Share {
            together: self,
            rank,
            set,
        })
    }

    fn sleep(&self, mesh: &Mesh, until: Instant, (text, limit): (Text, Duration)) -> Result<Share<'_>, RankProblem> {
        let rank = mesh.rank();
        let mut state = self.lock();
        let problem = loop {
            if let Some(place) = self.granted(rank) {
                return Ok(place);
            }
            if let Some(problem) = mesh.failure() {
                break problem;
            }
            let other = match self.grant(&mut state, rank) {
                Ok(Some(other)) => other,
                Ok(None) => continue,
                Err(problem) => break problem,
            };
            if mesh.has_ended(other) {
                break RankProblem::Ended { other };
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break RankProblem::Timeout {
                    other: Some(other),
                    operation: text.to_string(),
                    limit,
                };
            }
            state.sleepers += 1;
            let waited = self.changed.wait_timeout(state, left.min(PAUSE));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.sleepers -= 1;
        };
        state.calls[rank] = None;
        Err(problem)
    }

    /// Wakes those who wait for a rank that has failed, and lets other communicators come.
    pub(super) fn fail(&self) {
        ORDER.fail(&self.owner);
        self.changed.notify_all();
    }

    /// Does what nothing may happen beside on the devices: frees memory.
    pub(super) fn alone(&self, work: impl FnOnce()) {
        let number = ORDER.enter(&self.owner, &[], Hold::Same).number;
        ORDER.begin(number);
        work();
        ORDER.end(number);
    }
}

impl Share<'_> {
    /// Waits for the turn.
    pub(super) fn begin(&self) {
        if !self.set.place.has_begun {
            ORDER.begin(self.set.place.number);
        }
    }

    /// Makes the stream of the operation wait for those of other communicators that came to the device before.
    pub(super) fn follow(&self, stream: &Stream) -> vyre::Result<()> {
        let before = &self.set.place.follows;
        before.iter().try_for_each(|owner| owner.is_followed_by(stream))
    }

    /// Notes the end of the operation.
    pub(super) fn ends(&self, event: Event) {
        self.together.owner.ends(self.rank, event);
    }

    #[cfg(test)]
    fn number(&self) -> u64 {
        self.set.place.number
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        if self.set.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            ORDER.end(self.set.place.number);
        }
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        ORDER.forget(&self.owner);
    }
}

/// The text of a call in messages.
#[derive(Clone, Debug)]
pub(super) enum Text {
    Of(Signature),
    Messages,
    /// A function of the library.
    Function(&'static str),
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Text::Of(signature) => signature.fmt(f),
            Text::Messages => f.write_str("`send` and `receive`"),
            Text::Function(name) => write!(f, "`{name}`"),
        }
    }
}

impl Call {
    /// An operation of all ranks.
    pub(super) fn collective(rank: usize, ranks: usize, signature: &Signature) -> Call {
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        if ranks > 1 {
            sends.push(((rank + 1) % ranks, signature.clone()));
            receives.push(((rank + ranks - 1) % ranks, signature.clone()));
        }
        Call {
            text: Text::Of(signature.clone()),
            sends,
            receives,
        }
    }
}

impl State {
    fn pair(&self, from: usize, to: usize) -> &Pair {
        &self.pairs[from * self.calls.len() + to]
    }

    /// True if no call waits but that of a rank, which has no message to itself: what belongs to it is in the pairs alone.
    fn is_only(&self, rank: usize) -> bool {
        let mut calls = self.calls.iter().enumerate();
        calls.all(|(one, call)| match call {
            Some(call) if one == rank => call.sends.iter().chain(&call.receives).all(|(other, _)| *other != rank),
            call => call.is_none(),
        })
    }

    /// Refuses the call of a rank that [`is_only`](State::is_only) if it differs from what the other ranks have queued.
    fn compare(&self, rank: usize) -> Result<(), RankProblem> {
        let Some(Call { sends, receives, .. }) = &self.calls[rank] else {
            return Ok(());
        };
        compare_queued(sends, |to| &self.pair(rank, to).received)?;
        compare_queued(receives, |from| &self.pair(from, rank).sent)
    }

    /// The messages from a rank to another that are sent or received, those first that were queued before, and the numbers of
    /// these.
    fn between(&self, from: usize, to: usize) -> [(Vec<&Signature>, usize); 2] {
        let sends = self.calls[from].as_ref().map_or(&[][..], |call| &call.sends);
        let receives = self.calls[to].as_ref().map_or(&[][..], |call| &call.receives);
        let Pair { sent, received } = self.pair(from, to);
        [(sent, sends, to), (received, receives, from)].map(|(queued, called, other)| {
            let called = called
                .iter()
                .filter(|(rank, _)| *rank == other)
                .map(|(_, signature)| signature);
            (queued.iter().chain(called).collect(), queued.len())
        })
    }

    /// The calls that can be queued with that of a rank: those of all ranks that it exchanges messages with, and of those with
    /// which these do.
    fn set_of(&self, rank: usize) -> Result<Set, RankProblem> {
        let (mut set, mut next, mut lacks) = (vec![rank], 0, None);
        while let Some(&one) = set.get(next) {
            next += 1;
            let Some(call) = &self.calls[one] else { continue };
            let mut others: Vec<usize> = call
                .sends
                .iter()
                .chain(&call.receives)
                .map(|(other, _)| *other)
                .collect();
            others.sort_unstable();
            others.dedup();
            for other in others {
                let [(sent, _), (received, queued_by_other)] = self.between(one, other);
                compare(other, &sent, &received)?;
                let [(theirs, queued_before), (own, _)] = self.between(other, one);
                compare(other, &own, &theirs)?;
                // More than what the other has queued before: in its call, or in one after that.
                let is_needed = sent.len() > queued_by_other || own.len() > queued_before;
                if !is_needed || set.contains(&other) {
                    continue;
                }
                match self.calls[other].is_some() {
                    true => set.push(other),
                    false => lacks = lacks.or(Some(other)),
                }
            }
        }
        Ok(lacks.map_or(Set::Whole(set), Set::Lacks))
    }

    /// Takes the calls of a set out. Messages whose other side is in a later call are kept for that.
    fn take(&mut self, set: &[usize]) -> Hold {
        let (held, ranks) = (self.open > 0, self.calls.len());
        for &rank in set {
            let Some(Call { sends, receives, .. }) = self.calls[rank].take() else {
                continue;
            };
            for (to, signature) in sends {
                let Pair { sent, received } = &mut self.pairs[rank * ranks + to];
                self.open = add(received, sent, signature, self.open);
            }
            for (from, signature) in receives {
                let Pair { sent, received } = &mut self.pairs[from * ranks + rank];
                self.open = add(sent, received, signature, self.open);
            }
        }
        let is_open = self.open > 0;
        match (held, is_open) {
            (false, true) => Hold::Begins,
            (true, false) => Hold::Ends,
            _ => Hold::Same,
        }
    }
}

/// Takes the message of the other side that a queued one belongs to, or else keeps this one for that. Returns the number of
/// messages that are kept in all pairs, of which so many were.
fn add(theirs: &mut VecDeque<Signature>, own: &mut VecDeque<Signature>, message: Signature, open: usize) -> usize {
    if theirs.pop_front().is_some() {
        return open - 1;
    }
    own.push_back(message);
    open + 1
}

/// Refuses messages of a call that differ from those that the other sides have queued.
fn compare_queued<'s>(
    call: &[(usize, Signature)],
    queued: impl Fn(usize) -> &'s VecDeque<Signature>,
) -> Result<(), RankProblem> {
    for (place, (other, own)) in call.iter().enumerate() {
        let queued = queued(*other);
        if queued.is_empty() {
            continue;
        }
        // Those of the same call come first.
        let before = call[..place].iter().filter(|(earlier, _)| earlier == other).count();
        if let Some(theirs) = queued.get(before) {
            same(*other, own, theirs)?;
        }
    }
    Ok(())
}

/// Refuses messages that differ, as far as they are known on both sides.
fn compare(other: usize, own: &[&Signature], theirs: &[&Signature]) -> Result<(), RankProblem> {
    own.iter()
        .zip(theirs)
        .try_for_each(|(own, theirs)| same(other, own, theirs))
}

#[cfg(test)]
mod tests;
