//! Threads that help with a launch: one less than the processor runs at once, started when first
//! wanted and kept for the rest of the process.
//!
//! A launch needs one thing of a pool: that other threads run the same function as the caller,
//! which hands the blocks out, until it has none left. So what is queued is a call that is wanted
//! so many times more. A helper that comes when the caller has returned from it is not waited for.

use std::any::Any;
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::thread;

/// How many threads can help.
pub(super) fn helpers() -> usize {
    pool().threads
}

/// Runs `work` on this thread, and on up to so many others at the same time. Returns when all that
/// have begun are done.
///
/// # Panics
/// If `work` does, on any thread.
pub(super) fn run(helpers: usize, work: &(dyn Fn() + Sync)) {
    let pool = pool();
    let id = pool.offer(helpers, work);
    let own = catch_unwind(AssertUnwindSafe(work));
    let others = pool.withdraw(id);
    if let Err(panic) = own.and(others) {
        resume_unwind(panic);
    }
}

type Panic = Box<dyn Any + Send>;

struct Pool {
    threads: usize,
    offers: Mutex<Offers>,
    /// There is an offer that more threads are wanted for.
    offered: Condvar,
    /// The last helper of an offer is done.
    done: Condvar,
}

#[derive(Default)]
struct Offers {
    /// Those whose caller has not taken them back, oldest first.
    list: Vec<Offer>,
    /// The number of the next.
    next: u64,
}

struct Offer {
    id: u64,
    /// What the caller runs. It lives as long as the offer is in the list.
    work: &'static (dyn Fn() + Sync),
    /// How many threads it is still wanted on.
    wanted: usize,
    /// How many run it. While this is not zero, the offer stays in the list.
    running: usize,
    panic: Option<Panic>,
}

fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    static START: Once = Once::new();
    let pool = POOL.get_or_init(|| Pool {
        threads: thread::available_parallelism().map_or(0, |threads| threads.get() - 1),
        offers: Mutex::default(),
        offered: Condvar::new(),
        done: Condvar::new(),
    });
    // Where the system refuses a thread, the others do the work.
    START.call_once(|| {
        for _ in 0..pool.threads {
            let _ = thread::Builder::new().name("vyre".to_owned()).spawn(|| pool.help());
        }
    });
    pool
}

impl Pool {
    /// Nothing panics while this is held.
    fn lock(&self) -> MutexGuard<'_, Offers> {
        self.offers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets helpers run `work`, until the offer is taken back.
    fn offer(&self, wanted: usize, work: &(dyn Fn() + Sync)) -> u64 {
        // SAFETY: the types differ in the lifetime alone, and `withdraw` comes before `work` goes.
        let work = unsafe { transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(work) };
        let mut offers = self.lock();
        let id = offers.next;
        offers.next += 1;
        offers.list.push(Offer {
            id,
            work,
            wanted,
            running: 0,
            panic: None,
        });
        drop(offers);
        match wanted < self.threads {
            true => (0..wanted).for_each(|_| self.offered.notify_one()),
            false => self.offered.notify_all(),
        }
        id
    }

    /// Takes an offer back and waits for those who run it.
    fn withdraw(&self, id: u64) -> Result<(), Panic> {
        let mut offers = self.lock();
        loop {
            let Some(place) = offers.list.iter().position(|offer| offer.id == id) else {
                return Ok(());
            };
            let offer = &mut offers.list[place];
            offer.wanted = 0;
            if offer.running == 0 {
                return offers.list.remove(place).panic.map_or(Ok(()), Err);
            }
            offers = self.done.wait(offers).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What a helper does all its life.
    fn help(&self) {
        let mut offers = self.lock();
        loop {
            let Some(offer) = offers.list.iter_mut().find(|offer| offer.wanted > 0) else {
                offers = self.offered.wait(offers).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            offer.wanted -= 1;
            offer.running += 1;
            let (id, work) = (offer.id, offer.work);
            drop(offers);
            // `running` counts this call, so that the caller waits for it.
            let result = catch_unwind(AssertUnwindSafe(work));
            offers = self.lock();
            if let Some(offer) = offers.list.iter_mut().find(|offer| offer.id == id) {
                offer.running -= 1;
                offer.panic = offer.panic.take().or(result.err());
                if offer.running == 0 {
                    self.done.notify_all();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts to `end`, on this thread and on helpers.
    fn count(end: usize) -> usize {
        let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
        run(3, &|| {
            while next.fetch_add(1, Ordering::Relaxed) < end {
                sum.fetch_add(1, Ordering::Relaxed);
            }
        });
        sum.into_inner()
    }

    #[test]
    fn many_callers_share_the_helpers() {
        thread::scope(|scope| {
            for caller in 0..4 {
                scope.spawn(move || {
                    (0..50).for_each(|round| assert_eq!(count(caller * 100 + round), caller * 100 + round))
                });
            }
        });
    }

    #[test]
    fn helpers_may_call_for_help() {
        let total = AtomicUsize::new(0);
        run(2, &|| _ = total.fetch_add(count(50), Ordering::Relaxed));
        let total = total.into_inner();
        assert!((50..=150).contains(&total) && total.is_multiple_of(50), "{total}");
    }

    #[test]
    fn helpers_do_help() {
        if helpers() == 0 {
            return;
        }
        let (here, both) = (thread::current().id(), AtomicUsize::new(0));
        // Each waits until the other has come.
        run(1, &|| {
            both.fetch_add(1, Ordering::SeqCst);
            while both.load(Ordering::SeqCst) < 2 {
                thread::yield_now();
            }
        });
        assert_eq!((both.into_inner(), thread::current().id()), (2, here));
    }

    #[test]
    fn panics_reach_the_caller() {
        let here = thread::current().id();
        for on_caller in [true, false] {
            let began = AtomicUsize::new(0);
            let result = catch_unwind(AssertUnwindSafe(|| {
                run(1, &|| {
                    began.fetch_add(1, Ordering::SeqCst);
                    while began.load(Ordering::SeqCst) < 2 && helpers() > 0 {
                        thread::yield_now();
                    }
                    assert!((thread::current().id() == here) != on_caller, "as planned");
                });
            }));
            assert_eq!(result.is_err(), on_caller || helpers() > 0);
        }
        assert_eq!(count(100), 100);
    }
}
