//! Work that is done once for all threads that ask for it.

use std::sync::{Arc, OnceLock};

use crate::error::Result;
use crate::sync::Mutex;

/// Work in progress by key. Of the threads that ask for one key, the first works and the others wait
/// for its result; threads that ask for different keys work at the same time.
pub(crate) struct Once<K, T>(Mutex<Vec<(K, Work<T>)>>);

/// Work that a thread does and others wait for.
type Work<T> = Arc<OnceLock<Result<T>>>;

impl<K: Copy + PartialEq, T: Clone> Once<K, T> {
    pub(crate) const fn new() -> Once<K, T> {
        Once(Mutex::new(Vec::new()))
    }

    /// What `find` finds, or else what `work` returns, which stores its result where `find` finds it.
    ///
    /// Threads that wait for work that fails get its error; a later call tries again. If it panics,
    /// another one of them works.
    pub(crate) fn run(&self, key: K, find: impl FnOnce() -> Option<T>, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let result = {
            let mut running = self.0.lock();
            // Under the lock, for work is taken from the list after its result was stored.
            if let Some(found) = find() {
                return Ok(found);
            }
            match running.iter().find(|(other, _)| *other == key) {
                Some((_, result)) => result.clone(),
                None => {
                    let result = Arc::default();
                    running.push((key, Arc::clone(&result)));
                    result
                }
            }
        };
        let done = result.get_or_init(work).clone();
        self.0.lock().retain(|(_, other)| !Arc::ptr_eq(other, &result));
        done
    }
}

#[cfg(test)]
mod tests;
