use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;

use super::*;
use crate::error::Error;

/// A place for results, the work in progress, and a count of the work that was begun.
#[derive(Default)]
struct Results {
    stored: [OnceLock<u32>; 4],
    begun: AtomicU32,
}

impl Results {
    fn find(&self, key: usize) -> Option<u32> {
        self.stored[key].get().copied()
    }

    fn store(&self, key: usize) -> Result<u32> {
        Ok(*self.stored[key].get_or_init(|| key as u32 * 10))
    }
}

fn failure() -> Error {
    Error::LostFault { records: 7 }
}

#[test]
fn works_once_per_key() {
    let (once, results) = (Once::new(), Results::default());
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for number in 0..8 {
            let (once, results, start) = (&once, &results, &start);
            scope.spawn(move || {
                start.wait();
                let key = number % 4;
                let work = || {
                    results.begun.fetch_add(1, Ordering::Relaxed);
                    results.store(key)
                };
                assert_eq!(once.run(key, || results.find(key), work).unwrap(), key as u32 * 10);
            });
        }
    });
    assert_eq!(results.begun.into_inner(), 4);
    assert!(once.0.lock().is_empty());
}

/// Each of two keys waits for the other one's work to have begun.
#[test]
fn keys_work_at_the_same_time() {
    let (once, results) = (Once::new(), Results::default());
    let both = Barrier::new(2);
    thread::scope(|scope| {
        for key in 0..2 {
            let (once, results, both) = (&once, &results, &both);
            scope.spawn(move || {
                let work = || {
                    both.wait();
                    results.store(key)
                };
                once.run(key, || results.find(key), work).unwrap();
            });
        }
    });
}

#[test]
fn a_failure_is_told_to_all_who_wait_and_tried_again() {
    let (once, results) = (Once::<usize, u32>::new(), Results::default());
    let waiting = Barrier::new(2);
    thread::scope(|scope| {
        let second = scope.spawn(|| {
            waiting.wait();
            // Either waits for the first one's failure, or comes after it and fails by itself.
            once.run(1, || None, || Err(failure()))
        });
        let first = once.run(
            1,
            || None,
            || {
                waiting.wait();
                Err(failure())
            },
        );
        assert_eq!(first, Err(failure()));
        assert_eq!(second.join().unwrap(), Err(failure()));
    });
    assert_eq!(once.run(1, || results.find(1), || results.store(1)), Ok(10));
}

#[test]
fn a_panic_leaves_the_work_to_others() {
    let (once, results) = (Once::<usize, u32>::new(), Results::default());
    let panics = AssertUnwindSafe(|| once.run(1, || None, || panic!("on purpose")));
    assert!(catch_unwind(panics).is_err());
    assert_eq!(once.run(1, || results.find(1), || results.store(1)), Ok(10));
    assert!(once.0.lock().is_empty());
}
