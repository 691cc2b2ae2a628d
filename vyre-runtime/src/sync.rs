//! Locks without poisoning: nothing panics between two changes that belong together, so the state
//! behind a lock is whole even if a thread has panicked while it held it.

use std::sync::{Condvar as StdCondvar, Mutex as StdMutex, PoisonError, RwLock as StdRwLock, TryLockError};

pub(crate) use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// [`std::sync::Mutex`].
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(StdMutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Mutex<T> {
        Mutex(StdMutex::new(value))
    }

    #[inline]
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` while it is locked.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// [`std::sync::RwLock`].
#[derive(Debug, Default)]
pub(crate) struct RwLock<T>(StdRwLock<T>);

impl<T> RwLock<T> {
    pub(crate) const fn new(value: T) -> RwLock<T> {
        RwLock(StdRwLock::new(value))
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// [`std::sync::Condvar`].
#[derive(Debug, Default)]
pub(crate) struct Condvar(StdCondvar);

impl Condvar {
    pub(crate) const fn new() -> Condvar {
        Condvar(StdCondvar::new())
    }

    pub(crate) fn wait<'g, T>(&self, guard: MutexGuard<'g, T>) -> MutexGuard<'g, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a notice or until the time is over.
    pub(crate) fn wait_timeout<'g, T>(&self, guard: MutexGuard<'g, T>, time: Duration) -> MutexGuard<'g, T> {
        let waited = self.0.wait_timeout(guard, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// A mark that one thread waits for and any raises.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    raised: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    /// Raises it, and wakes the thread that waits. Takes a lock for a moment, and calls nothing else.
    pub(crate) fn raise(&self) {
        *self.raised.lock() = true;
        self.changed.notify_one();
    }

    /// Waits until it is raised, or until the time is over if there is a limit, and lowers it.
    pub(crate) fn wait(&self, limit: Option<Duration>) {
        let mut raised = self.raised.lock();
        match limit {
            None => {
                while !*raised {
                    raised = self.changed.wait(raised);
                }
            }
            // Early is harmless.
            Some(limit) if !*raised => raised = self.changed.wait_timeout(raised, limit),
            Some(_) => {}
        }
        *raised = false;
    }
}
