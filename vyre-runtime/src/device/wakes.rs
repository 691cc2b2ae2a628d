//! Wakes those who wait for work of a device without a thread of their own.
//!
//! A thread of the device, which the first of them starts, asks the driver which moments are over. It asks without a
//! pause at first, as a wait of the driver does, so that a task is woken within microseconds. The longer it has waited,
//! the longer it sleeps between two looks, so that long work costs little time of the processor. While nobody waits it
//! sleeps. A callback of the driver would be later, by a hundred microseconds, and holds back what is queued behind it.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Waker;
use std::thread;
use std::time::{Duration, Instant};

use super::DeviceState;
use crate::backend::Moment;
use crate::sync::{Mutex, Signal};

/// The time for which the thread looks without a pause, from the last task that has come or was woken.
const SPIN: Duration = Duration::from_millis(20);

/// After that it sleeps for this part of the time that has passed, at most [`LONGEST`].
const PART: u32 = 64;

const LONGEST: Duration = Duration::from_millis(2);

/// The waker of one who waits, which a later poll may exchange.
pub(crate) type WakerCell = Arc<Mutex<Option<Waker>>>;

#[derive(Default)]
pub(crate) struct Wakes {
    /// Raised when somebody has come, or the device was closed.
    signal: Signal,
    arrivals: Mutex<Arrivals>,
}

/// Those whom the thread has not seen yet.
#[derive(Default)]
struct Arrivals {
    list: Vec<Watched>,
    has_thread: bool,
}

/// One who waits for a moment, or until a time.
pub(crate) struct Watched {
    pub(crate) moment: Arc<dyn Moment>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) waker: WakerCell,
}

impl DeviceState {
    /// Wakes once a moment is over, its time has come, or an error of the driver is to be told.
    pub(crate) fn watch(&'static self, new: Watched) {
        let wakes = &self.wakes;
        let mut arrivals = wakes.arrivals.lock();
        arrivals.list.push(new);
        let has_thread = mem::replace(&mut arrivals.has_thread, true);
        drop(arrivals);
        if has_thread {
            return wakes.signal.raise();
        }
        let thread = thread::Builder::new().name("vyre-wakes".to_owned());
        if thread.spawn(|| self.run_wakes()).is_err() {
            // Whoever waits asks again at once.
            let mut arrivals = wakes.arrivals.lock();
            arrivals.has_thread = false;
            let list = mem::take(&mut arrivals.list);
            drop(arrivals);
            list.into_iter().for_each(Watched::wake);
        }
    }

    /// Ends the thread of a device that is closed, once it has woken all.
    pub(crate) fn end_wakes(&self) {
        self.wakes.signal.raise();
    }

    fn run_wakes(&self) {
        let wakes = &self.wakes;
        let (mut list, mut since) = (Vec::new(), Instant::now());
        loop {
            let mut arrivals = wakes.arrivals.lock();
            if !arrivals.list.is_empty() {
                list.append(&mut arrivals.list);
                since = Instant::now();
            }
            if list.is_empty() && self.backend().is_closed() {
                arrivals.has_thread = false;
                return;
            }
            drop(arrivals);
            if list.is_empty() {
                wakes.signal.wait(None);
                continue;
            }
            let now = Instant::now();
            let count = list.len();
            let over: Vec<_> = list.extract_if(.., |each: &mut Watched| each.is_over(now)).collect();
            over.into_iter().for_each(Watched::wake);
            if list.len() < count {
                since = now;
                continue;
            }
            let passed = now - since;
            if passed < SPIN {
                // Other threads go first.
                thread::yield_now();
                continue;
            }
            let next = list.iter().filter_map(|each| each.deadline).min();
            let left = next.map_or(LONGEST, |at| at.saturating_duration_since(now));
            wakes.signal.wait(Some((passed / PART).min(LONGEST).min(left)));
        }
    }
}

impl Watched {
    /// True if there is nothing to wait for any more. What has failed is asked again by those who wait.
    fn is_over(&self, now: Instant) -> bool {
        self.is_dropped() || self.deadline.is_some_and(|at| at <= now) || self.moment.is_over().unwrap_or(true)
    }

    /// True if nobody waits: the other owner of the cell has gone.
    fn is_dropped(&self) -> bool {
        Arc::strong_count(&self.waker) == 1
    }

    fn wake(self) {
        if self.is_dropped() {
            return;
        }
        // Not under the lock: the waker may poll, or drop what has the cell.
        let waker = self.waker.lock().take();
        if let Some(waker) = waker {
            // A waker that panics does not end the thread.
            let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
    }
}
