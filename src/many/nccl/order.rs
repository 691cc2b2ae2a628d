//! The order in which operations of several communicators come to the devices that they share.
//!
//! An operation of NCCL waits on its device for those of the other ranks. If two communicators come to one device in one order
//! and to another in the other order, each waits for the other one for ever. So an operation of ranks of this process has a place
//! among all others, and begins when all operations before it that use one of its devices are queued on all of theirs.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::{Device, Event, Result, Stream};

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
    /// The owners that keep others from their devices.
    holds: Vec<(u64, Vec<usize>)>,
    /// The owners that hold nothing any more, since they have failed.
    failed: Vec<u64>,
    devices: Vec<Known>,
    sleepers: usize,
}

/// A device, whose number is its place in the list.
struct Known {
    device: Device,
    /// The owner and the end of the last operation.
    last: Option<(u64, Event)>,
}

/// An operation that is not queued yet on all of its devices.
struct Entry {
    number: u64,
    owner: u64,
    devices: Vec<usize>,
    /// The ranks that have still to queue it.
    left: usize,
    has_begun: bool,
    hold: Hold,
}

/// The devices of a communicator.
pub(super) struct Owner {
    number: u64,
    devices: Vec<usize>,
}

/// Whether the owner of an operation holds its devices after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    Same,
    /// From when it begins: others do not come between it and a later one of the owner.
    Begins,
    /// Until it is queued.
    Ends,
}

/// A rank's share of an operation that has a place. Dropped when it is queued, or never will be.
pub(super) struct Place {
    order: &'static Order,
    pub(super) number: u64,
    owner: u64,
}

impl Order {
    const fn new() -> Order {
        Order {
            state: Mutex::new(State {
                last: 0,
                owners: 0,
                queue: VecDeque::new(),
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

    pub(super) fn owner(&self, devices: &[Device]) -> Owner {
        let mut state = self.lock();
        state.owners += 1;
        Owner {
            number: state.owners,
            devices: devices.iter().map(|device| state.number(device)).collect(),
        }
    }

    /// Gives an operation the next place, for so many ranks. Each of them makes its share by [`place`](Order::place).
    pub(super) fn enter(&self, owner: &Owner, ranks: usize, hold: Hold) -> u64 {
        let mut state = self.lock();
        state.last += 1;
        let number = state.last;
        state.queue.push_back(Entry {
            number,
            owner: owner.number,
            devices: owner.devices.clone(),
            left: ranks,
            has_begun: false,
            hold,
        });
        number
    }

    /// The share of a rank.
    pub(super) fn place(&'static self, owner: &Owner, number: u64) -> Place {
        Place {
            order: self,
            number,
            owner: owner.number,
        }
    }

    /// Lets others come to the devices of an owner that has failed.
    pub(super) fn fail(&self, owner: &Owner) {
        let mut state = self.lock();
        state.holds.retain(|(holder, _)| *holder != owner.number);
        if !state.failed.contains(&owner.number) {
            state.failed.push(owner.number);
        }
        self.wake(state);
    }

    /// Forgets an owner, of which no operations are left.
    pub(super) fn forget(&self, owner: &Owner) {
        let mut state = self.lock();
        state.holds.retain(|(holder, _)| *holder != owner.number);
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

impl Place {
    /// Waits for the turn.
    pub(super) fn begin(&self) {
        let mut state = self.order.lock();
        while !state.may_begin(self.number) {
            state.sleepers += 1;
            state = self.order.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.sleepers -= 1;
        }
    }

    /// Makes a stream wait for the last operation of another communicator on its device. Operations on several streams run side
    /// by side where the device has room, and it may have room for one that the other device has not.
    pub(super) fn follow(&self, stream: &Stream) -> Result<()> {
        let mut state = self.order.lock();
        let number = state.number(&stream.device());
        let last = match &state.devices[number].last {
            Some((owner, event)) if *owner != self.owner => event.clone(),
            _ => return Ok(()),
        };
        drop(state);
        stream.wait(&last)
    }

    /// Notes the end of the operation on a device.
    pub(super) fn ends(&self, device: &Device, event: Event) {
        let mut state = self.order.lock();
        let number = state.number(device);
        let before = state.devices[number].last.replace((self.owner, event));
        drop(state);
        drop(before);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.order.lock();
        let Some(at) = state.queue.iter().position(|entry| entry.number == self.number) else {
            return;
        };
        state.queue[at].left -= 1;
        if state.queue[at].left == 0 {
            let done = state.queue.remove(at);
            if done.is_some_and(|entry| entry.hold == Hold::Ends) {
                state.holds.retain(|(holder, _)| *holder != self.owner);
            }
            self.order.wake(state);
        }
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
            let mut holds = self.holds.iter();
            holds.any(|(holder, devices)| (*holder == own.owner) == by_own && meets(devices))
        };
        if is_held(false) {
            return false;
        }
        // Those of others wait for the hold of this owner to end.
        let passes = is_held(true);
        let is_before = |entry: &&Entry| {
            entry.number != number
                && meets(&entry.devices)
                && (entry.has_begun || entry.number < number && (!passes || entry.owner == own.owner))
        };
        if self.queue.iter().any(|entry| is_before(&entry)) {
            return false;
        }
        let own = &mut self.queue[at];
        own.has_begun = true;
        if own.hold == Hold::Begins && !self.failed.contains(&own.owner) {
            self.holds.push((own.owner, own.devices.clone()));
        }
        true
    }
}

#[cfg(test)]
mod tests;
