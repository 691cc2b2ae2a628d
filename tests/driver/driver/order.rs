//! The order that streams and events ask for, as clocks: work is done at once here, and a test asks what a device would have
//! been free to do at the same time.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use crate::contexts::is_current;

/// For each stream, how much of its work comes before.
type Clock = HashMap<usize, u64>;

#[derive(Default)]
struct Order {
    streams: HashMap<usize, Clock>,
    events: HashMap<usize, Clock>,
    /// For each stream, how much of its work the host has waited for.
    settled: HashMap<usize, u64>,
}

static ORDER: Mutex<Option<Order>> = Mutex::new(None);

fn with<T>(change: impl FnOnce(&mut Order) -> T) -> T {
    change(
        ORDER
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_default(),
    )
}

fn merge(into: &mut Clock, other: &Clock) {
    for (&stream, &work) in other {
        let own = into.entry(stream).or_default();
        *own = (*own).max(work);
    }
}

/// Work is queued on a stream; false if that is of another context than the current one.
#[must_use]
pub(crate) fn work(stream: *mut c_void) -> bool {
    if !is_current(stream) {
        return false;
    }
    with(|order| {
        *order
            .streams
            .entry(stream.addr())
            .or_default()
            .entry(stream.addr())
            .or_default() += 1
    });
    true
}

/// The host waits for a stream.
pub(crate) fn settle(stream: *mut c_void) {
    with(|order| {
        let clock = order.streams.get(&stream.addr());
        let work = clock.and_then(|clock| clock.get(&stream.addr()).copied());
        order.settled.insert(stream.addr(), work.unwrap_or(0));
    });
}

/// True if the host has waited for all work of a stream.
#[unsafe(no_mangle)]
extern "C" fn played_settled(stream: *mut c_void) -> bool {
    with(|order| {
        let clock = order.streams.get(&stream.addr());
        let work = clock.and_then(|clock| clock.get(&stream.addr()).copied());
        work.unwrap_or(0) <= order.settled.get(&stream.addr()).copied().unwrap_or(0)
    })
}

/// An event is recorded on a stream.
pub(crate) fn record(event: *mut c_void, stream: *mut c_void) {
    with(|order| {
        let clock = order.streams.entry(stream.addr()).or_default().clone();
        order.events.insert(event.addr(), clock);
    });
}

/// A stream is made to wait for an event.
pub(crate) fn wait(stream: *mut c_void, event: *mut c_void) {
    with(|order| {
        if let Some(clock) = order.events.get(&event.addr()) {
            merge(order.streams.entry(stream.addr()).or_default(), clock);
        }
    });
}

/// True if later work on a stream comes after all work that is on another one now.
#[unsafe(no_mangle)]
extern "C" fn played_follows(later: *mut c_void, earlier: *mut c_void) -> bool {
    with(|order| {
        let work = |on: *mut c_void| {
            let clock = order.streams.get(&on.addr());
            clock.and_then(|clock| clock.get(&earlier.addr()).copied()).unwrap_or(0)
        };
        work(later) >= work(earlier)
    })
}
