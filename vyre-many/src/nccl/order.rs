//! The order in which operations of several communicators come to the devices that they share.
//!
//! An operation of NCCL waits on its device for those of the other ranks. If two communicators come to one device in one order
//! and to another in the other order, each waits for the other one for ever. So an operation of ranks of this process has a place
//! among all others, and begins when all operations of other communicators before it that use one of its devices are queued on
//! all of theirs. A communicator that has queued a part of an operation holds its devices until the rest is queued.

use std::collections::VecDeque;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use vyre::{Device, Event, Result, Stream};
use vyre_runtime::kernel::wait_apart;

/// The time for which others wait for an owner that holds its devices, and nothing comes.
const PATIENCE: Duration = Duration::from_secs(2);

/// The order of this process.
pub(super) static ORDER: Order = Order::new();

pub(super) struct Order {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    last: u64,
    owners: u64,
    queue: VecDeque<Entry>,
    /// The owners that are there.
    live: Vec<Arc<Owner>>,
    /// The owners that keep others from their devices.
    holds: Vec<Held>,
    /// The owners that hold nothing any more, since they have failed.
    failed: Vec<u64>,
    devices: Vec<Known>,
    sleepers: usize,
}

/// A device, whose number is its place in the list.
struct Known {
    device: Device,
    /// The owner of the last operation.
    last: Option<Weak<Owner>>,
}

/// The parts of operations that an owner has queued without the rest.
struct Held {
    owner: u64,
    devices: Vec<usize>,
    /// How many began, less those that have ended. These may be noted first.
    count: i64,
    /// The last change.
    since: Instant,
}

/// An operation that is not queued yet on all of its devices.
struct Entry {
    number: u64,
    owner: u64,
    devices: Vec<usize>,
    has_begun: bool,
    hold: Hold,
}

/// A communicator with the devices of its ranks.
pub(super) struct Owner {
    number: u64,
    devices: Vec<usize>,
    ends: Vec<End>,
    /// The other owners that have one of these devices.
    others: AtomicUsize,
}

/// The end of the last operation of a rank, which writes it for each: in a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
struct End(Mutex<Option<Event>>);

/// The effect of an operation on its owner's hold of the devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    Same,
    /// From when it begins: others do not come between it and a later one of the owner.
    Begins,
    /// Until it is queued.
    Ends,
}

/// The place of an operation.
pub(super) struct Place {
    pub(super) number: u64,
    /// It has its turn, with nobody before it.
    pub(super) has_begun: bool,
    /// Others had operations on its devices before.
    pub(super) follows: Vec<Arc<Owner>>,
}

impl Order {
    const fn new() -> Order {
        Order {
            state: Mutex::new(State {
                last: 0,
                owners: 0,
                queue: VecDeque::new(),
                live: Vec::new(),
                holds: Vec::new(),
                failed: Vec::new(),
                devices: Vec::new(),
                sleepers: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// The state is whole at any time.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn owner(&self, devices: &[Device]) -> Arc<Owner> {
        let mut state = self.lock();
        state.owners += 1;
        let owner = Arc::new(Owner {
            number: state.owners,
            devices: devices.iter().map(|device| state.number(device)).collect(),
            ends: devices.iter().map(|_| End::default()).collect(),
            others: AtomicUsize::new(0),
        });
        for other in state.live.iter().filter(|other| other.meets(&owner.devices)) {
            other.others.fetch_add(1, Ordering::Relaxed);
            owner.others.fetch_add(1, Ordering::Relaxed);
        }
        state.live.push(owner.clone());
        owner
    }

    /// Gives an operation of some ranks of an owner the next place.
    pub(super) fn enter(&self, owner: &Arc<Owner>, ranks: &[usize], hold: Hold) -> Place {
        let mut state = self.lock();
        state.last += 1;
        let number = state.last;
        state.queue.push_back(Entry {
            number,
            owner: owner.number,
            devices: owner.devices.clone(),
            has_begun: false,
            hold,
        });
        let mut follows: Vec<Arc<Owner>> = Vec::new();
        for &rank in ranks {
            let last = &mut state.devices[owner.devices[rank]].last;
            if last
                .as_ref()
                .is_some_and(|last| ptr::eq(last.as_ptr(), &raw const **owner))
            {
                continue;
            }
            let last = last.replace(Arc::downgrade(owner));
            let last = last.and_then(|last| last.upgrade());
            follows.extend(last.filter(|last| !follows.iter().any(|known| Arc::ptr_eq(known, last))));
        }
        Place {
            number,
            has_begun: state.may_begin(number),
            follows,
        }
    }

    /// Waits for the turn of an operation, which all of its ranks then have.
    pub(super) fn begin(&self, number: u64) {
        let mut state = self.lock();
        while !state.may_begin(number) {
            state.sleepers += 1;
            let waited = self.changed.wait_timeout(state, PATIENCE / 8);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.sleepers -= 1;
        }
    }

    /// Ends the turn of an operation, which is queued on all of its devices, or never will be.
    pub(super) fn end(&self, number: u64) {
        let mut state = self.lock();
        let Some(at) = state.queue.iter().position(|entry| entry.number == number) else {
            return;
        };
        if let Some(done) = state.queue.remove(at)
            && done.hold == Hold::Ends
        {
            state.hold(done.owner, &done.devices, -1);
        }
        self.wake(state);
    }

    /// True if an owner holds its devices for so long that others do not wait for it: a rank of it may stay away.
    fn is_late(&self, owner: &Owner) -> bool {
        let state = self.lock();
        state
            .holds
            .iter()
            .any(|held| held.owner == owner.number && held.is_late())
    }

    /// Lets others come to the devices of an owner that has failed.
    pub(super) fn fail(&self, owner: &Owner) {
        let mut state = self.lock();
        state.holds.retain(|held| held.owner != owner.number);
        if !state.failed.contains(&owner.number) {
            state.failed.push(owner.number);
        }
        self.wake(state);
    }

    /// Forgets an owner, of which no operations are left.
    pub(super) fn forget(&self, owner: &Owner) {
        let mut state = self.lock();
        state.holds.retain(|held| held.owner != owner.number);
        state.live.retain(|other| other.number != owner.number);
        for other in state.live.iter().filter(|other| other.meets(&owner.devices)) {
            other.others.fetch_sub(1, Ordering::Relaxed);
        }
        state.failed.retain(|&failed| failed != owner.number);
        self.wake(state);
    }

    fn wake(&self, state: MutexGuard<'_, State>) {
        if state.sleepers > 0 {
            drop(state);
            self.changed.notify_all();
        }
    }
}

impl Owner {
    /// Notes the end of the last operation of a rank.
    pub(super) fn ends(&self, rank: usize, event: Event) {
        let End(last) = &self.ends[rank];
        drop(last.lock().unwrap_or_else(PoisonError::into_inner).replace(event));
    }

    /// True if no other communicator has one of its devices.
    pub(super) fn is_alone(&self) -> bool {
        self.others.load(Ordering::Relaxed) == 0
    }

    fn meets(&self, devices: &[usize]) -> bool {
        devices.iter().any(|device| self.devices.contains(device))
    }

    /// Makes a stream wait for the last operation on its device. Operations on several streams run side by side where the device
    /// has room, and it may have room for one that another device has not.
    pub(super) fn is_followed_by(&self, stream: &Stream) -> Result<()> {
        if ORDER.is_late(self) {
            return Ok(());
        }
        for End(last) in &self.ends {
            let event = last.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(event) = event.filter(|event| event.device() == stream.device()) {
                wait_apart(stream, &event)?;
            }
        }
        Ok(())
    }
}

impl State {
    fn number(&mut self, device: &Device) -> usize {
        if let Some(at) = self.devices.iter().position(|known| known.device == *device) {
            return at;
        }
        self.devices.push(Known {
            // Without the stream that a handle of a device may have for itself.
            device: device.default_stream().device(),
            last: None,
        });
        self.devices.len() - 1
    }

    /// True if an operation has its turn, which it then has for all of its ranks.
    fn may_begin(&mut self, number: u64) -> bool {
        let Some(at) = self.queue.iter().position(|entry| entry.number == number) else {
            return true;
        };
        let own = &self.queue[at];
        if own.has_begun {
            return true;
        }
        let meets = |devices: &[usize]| devices.iter().any(|device| own.devices.contains(device));
        let is_held = |by_own: bool| {
            let mut holds = self.holds.iter().filter(|held| held.count > 0 && !held.is_late());
            holds.any(|held| (held.owner == own.owner) == by_own && meets(&held.devices))
        };
        if is_held(false) {
            return false;
        }
        // Those of others wait for the hold of this owner to end. Those of this owner have the order of each rank's calls.
        let passes = is_held(true);
        let is_before = |entry: &&Entry| {
            entry.owner != own.owner && meets(&entry.devices) && (entry.has_begun || entry.number < number && !passes)
        };
        if self.queue.iter().any(|entry| is_before(&entry)) {
            return false;
        }
        self.queue[at].has_begun = true;
        if self.queue[at].hold == Hold::Begins {
            let (owner, devices) = (self.queue[at].owner, self.queue[at].devices.clone());
            self.hold(owner, &devices, 1);
        }
        true
    }

    /// Counts a part of an operation that an owner has queued without the rest, or no longer.
    fn hold(&mut self, owner: u64, devices: &[usize], by: i64) {
        if self.failed.contains(&owner) {
            return;
        }
        let since = Instant::now();
        match self.holds.iter_mut().find(|held| held.owner == owner) {
            Some(held) => (held.count, held.since) = (held.count + by, since),
            None => self.holds.push(Held {
                owner,
                devices: devices.to_vec(),
                count: by,
                since,
            }),
        }
    }
}

impl Held {
    fn is_late(&self) -> bool {
        self.since.elapsed() > PATIENCE
    }
}

#[cfg(test)]
mod tests;
