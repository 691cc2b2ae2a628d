use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::*;

#[test]
fn threads_exclude_each_other() {
    let sums = Mutex::new(vec![0u64; 4]);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    let mut sums = sums.lock();
                    let first = sums[0];
                    sums.iter_mut().for_each(|sum| *sum = first + 1);
                }
            });
        }
    });
    assert_eq!(sums.into_inner(), [4000; 4]);
}

#[test]
fn a_lock_outlives_a_panic() {
    let mut kept = Mutex::new(String::from("before"));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut text = kept.lock();
        text.push_str(", and after");
        panic!("expected");
    }));
    assert!(panicked.is_err());
    assert_eq!(&*kept.lock(), "before, and after");
    assert_eq!(kept.try_lock().as_deref(), Some(&String::from("before, and after")));
    let held = kept.lock();
    assert!(kept.try_lock().is_none());
    drop(held);
    assert_eq!(kept.get_mut(), "before, and after");
}

/// The lock is free while a thread waits, and held again when it goes on.
#[test]
fn a_waiting_thread_lets_others_in() {
    let (turn, changed) = (Mutex::new(0), Condvar::new());
    thread::scope(|scope| {
        for own in [1, 3] {
            let (turn, changed) = (&turn, &changed);
            scope.spawn(move || {
                let mut now = turn.lock();
                while *now != own {
                    now = changed.wait(now);
                }
                *now += 1;
                changed.notify_all();
            });
        }
        for own in [0, 2] {
            let mut now = turn.lock();
            while *now != own {
                now = changed.wait_timeout(now, Duration::from_millis(1));
            }
            *now += 1;
            changed.notify_all();
        }
    });
    assert_eq!(turn.into_inner(), 4);
}
