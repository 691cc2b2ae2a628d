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
use std::time::Duration;

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

type Watched = (Arc<dyn Moment>, WakerCell);

impl DeviceState {
    /// Wakes once a moment of the stream is over, or an error of the driver is to be told. Work that is queued until
    /// then may delay it.
    pub(crate) fn watch(
        &'static self,
        stream: &'static StreamState,
        moment: &Arc<dyn Moment>,
        waker: &WakerCell,
    ) -> Result<()> {
        let wakes = &self.wakes;
        let mut watched = wakes.watched.lock();
        let is_first = watched.list.is_empty();
        watched.list.push((Arc::clone(moment), Arc::clone(waker)));
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
        if is_first {
            // The thread may sleep without a limit, and the driver raises nothing if the device fails.
            wakes.signal.raise();
        }
        let notified = stream.queue().notify(&wakes.signal);
        if notified.is_err() {
            // The task is not woken, and a later wait watches anew.
            let mut watched = wakes.watched.lock();
            watched.list.retain(|(_, other)| !Arc::ptr_eq(other, waker));
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
            let limit = (!watched.list.is_empty()).then_some(PATIENCE);
            if limit.is_none() && self.backend().is_closed() {
                watched.has_thread = false;
                return;
            }
            drop(watched);
            wakes.signal.wait(limit);
            wakes.wake(|moment| moment.is_over().unwrap_or(true));
        }
    }
}

impl Wakes {
    /// Wakes those whose moments are such.
    fn wake(&self, is_over: impl Fn(&dyn Moment) -> bool) {
        let over: Vec<_> = self
            .watched
            .lock()
            .list
            .extract_if(.., |(moment, _)| is_over(&**moment))
            .collect();
        for (_, waker) in over {
            // Not under the lock: the waker may poll, or drop what has the cell.
            let waker = waker.lock().take();
            if let Some(waker) = waker {
                // A waker that panics does not end the thread.
                let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
            }
        }
    }
}
