//! Wakes those who wait for work of a device without a thread of their own.
//!
//! A thread of the device, which the first of them starts, sleeps until the driver raises a signal behind the work, and
//! then looks which moments are over. The driver's callback does nothing else, since it may not call the driver, and a
//! waker may. A device that fails raises nothing, so the thread also looks from time to time while anybody waits.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Waker;
use std::thread;
use std::time::{Duration, Instant};

use super::DeviceState;
use super::stream::StreamState;
use crate::backend::Moment;
use crate::error::Result;
use crate::sync::{Mutex, Signal};

/// The time between two looks that nothing has asked for.
const PATIENCE: Duration = Duration::from_millis(100);

/// The waker of one who waits, which a later poll may exchange.
pub(crate) type WakerCell = Arc<Mutex<Option<Waker>>>;

#[derive(Default)]
pub(crate) struct Wakes {
    signal: Signal,
    watched: Mutex<WatchList>,
}

#[derive(Default)]
struct WatchList {
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
    /// Wakes once a moment of the stream is over, its time has come, or an error of the driver is to be told. Work that is
    /// queued until then may delay it.
    pub(crate) fn watch(&'static self, stream: &'static StreamState, new: Watched) -> Result<()> {
        let (wakes, waker) = (&self.wakes, Arc::clone(&new.waker));
        let mut watched = wakes.watched.lock();
        // The thread may sleep without a limit, and the driver raises nothing if the device fails; or too long.
        let is_raised = watched.list.is_empty() || new.deadline.is_some();
        watched.list.push(new);
        let has_thread = mem::replace(&mut watched.has_thread, true);
        drop(watched);
        if !has_thread {
            let thread = thread::Builder::new().name("vyre-wakes".to_owned());
            if thread.spawn(|| self.run_wakes()).is_err() {
                // Whoever waits asks again at once.
                wakes.watched.lock().has_thread = false;
                wakes.wake(|_| true);
                return Ok(());
            }
        }
        if is_raised {
            wakes.signal.raise();
        }
        let notified = stream.queue().notify(&wakes.signal);
        if notified.is_err() {
            // The task is not woken, and a later wait watches anew.
            let mut watched = wakes.watched.lock();
            watched.list.retain(|other| !Arc::ptr_eq(&other.waker, &waker));
            drop(watched);
            let left = waker.lock().take();
            drop(left);
        }
        notified
    }

    /// Ends the thread of a device that is closed, once it has woken all.
    pub(crate) fn end_wakes(&self) {
        self.wakes.signal.raise();
    }

    fn run_wakes(&self) {
        let wakes = &self.wakes;
        loop {
            let mut watched = wakes.watched.lock();
            let deadline = watched.list.iter().filter_map(|each| each.deadline).min();
            let left = deadline.map_or(PATIENCE, |at| at.saturating_duration_since(Instant::now()));
            let limit = (!watched.list.is_empty()).then_some(left.min(PATIENCE));
            if limit.is_none() && self.backend().is_closed() {
                watched.has_thread = false;
                return;
            }
            drop(watched);
            wakes.signal.wait(limit);
            let now = Instant::now();
            let is_late = |deadline| deadline <= now;
            wakes.wake(|each| each.deadline.is_some_and(is_late) || each.moment.is_over().unwrap_or(true));
        }
    }
}

impl Wakes {
    /// Wakes those who have waited long enough.
    fn wake(&self, is_over: impl Fn(&Watched) -> bool) {
        let over: Vec<_> = self.watched.lock().list.extract_if(.., |each| is_over(each)).collect();
        for Watched { waker, .. } in over {
            // Not under the lock: the waker may poll, or drop what has the cell.
            let waker = waker.lock().take();
            if let Some(waker) = waker {
                // A waker that panics does not end the thread.
                let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
            }
        }
    }
}
