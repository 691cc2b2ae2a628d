use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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
            scope
                .spawn(move || (0..50).for_each(|round| assert_eq!(count(caller * 100 + round), caller * 100 + round)));
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
    // Each waits for the other.
    run(1, &|| {
        both.fetch_add(1, Ordering::SeqCst);
        while both.load(Ordering::SeqCst) < 2 {
            thread::yield_now();
        }
    });
    assert_eq!((both.into_inner(), thread::current().id()), (2, here));
}

/// Each job of a pool takes a lock and calls for helpers: none may run another job before its own
/// is done.
#[test]
fn a_caller_in_a_pool_runs_no_other_job() {
    let (lock, total) = (Mutex::new(()), AtomicUsize::new(0));
    rayon_core::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|_| {
                let _held = lock.lock();
                total.fetch_add(count(100), Ordering::Relaxed);
            });
        }
    });
    assert_eq!(total.into_inner(), 2000);
}

/// All threads of the pool wait for a lock that the caller holds.
#[test]
fn a_blocked_pool_is_not_waited_for() {
    let lock = Arc::new(Mutex::new(()));
    let held = lock.lock();
    for _ in 0..rayon_core::current_num_threads() {
        let lock = lock.clone();
        rayon_core::spawn(move || drop(lock.lock()));
    }
    assert_eq!(count(100), 100);
    drop(held);
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
