//! Helpers for a launch from rayon: from the pool of the caller, else the global one.
//!
//! Helpers run the same function as the caller until it has no blocks left. The caller does not
//! wait inside rayon, by a scope or a join: there it would run other jobs of its pool meanwhile,
//! which may need a lock that the caller holds. So helpers are spawned jobs, the caller blocks for
//! those that have begun, and a job that begins later finds the call closed: a pool whose threads
//! are all busy, or wait for the caller, delays nothing.

use std::any::Any;
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use crate::sync::{Condvar, Mutex};

/// The number of possible helpers: the threads of the caller's pool, or of rayon's global one,
/// minus one for the caller.
pub(super) fn helpers() -> usize {
    rayon_core::current_num_threads() - 1
}

/// Runs `work` on this thread and concurrently on up to `helpers` others. Returns when all that
/// have begun are done.
///
/// # Panics
/// If `work` does, on any thread.
pub(super) fn run(helpers: usize, work: &(dyn Fn() + Sync)) {
    // SAFETY: the types differ only in the lifetime. `close` waits for all helpers that have the
    // reference, and withholds it from later ones.
    let shared = unsafe { transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(work) };
    let call = Arc::new(Call::new(shared));
    let own = catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..helpers {
            let call = call.clone();
            rayon_core::spawn(move || call.help());
        }
        work();
    }));
    let others = call.close();
    if let Err(panic) = own.and(others) {
        resume_unwind(panic);
    }
}

type Panic = Box<dyn Any + Send>;

/// A function that helpers run while its caller does.
struct Call {
    state: Mutex<State>,
    /// Notified when the last helper is done.
    idle: Condvar,
}

struct State {
    /// `None` once the caller is done.
    work: Option<&'static (dyn Fn() + Sync)>,
    /// The number of running helpers.
    running: usize,
    panic: Option<Panic>,
}

impl Call {
    fn new(work: &'static (dyn Fn() + Sync)) -> Call {
        Call {
            state: Mutex::new(State {
                work: Some(work),
                running: 0,
                panic: None,
            }),
            idle: Condvar::new(),
        }
    }

    fn help(&self) {
        let mut state = self.state.lock();
        let Some(work) = state.work else { return };
        state.running += 1;
        drop(state);
        let result = catch_unwind(AssertUnwindSafe(work));
        let mut state = self.state.lock();
        state.running -= 1;
        state.panic = state.panic.take().or(result.err());
        if state.running == 0 {
            self.idle.notify_one();
        }
    }

    /// Waits for the helpers that have begun, and turns away later ones.
    fn close(&self) -> Result<(), Panic> {
        let mut state = self.state.lock();
        state.work = None;
        while state.running > 0 {
            state = self.idle.wait(state);
        }
        state.panic.take().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests;
