//! Locks without poisoning: nothing panics between two changes that belong together, so the state
//! behind a lock is whole even if a thread has panicked while it held it.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::{
    Condvar as StdCondvar, Mutex as StdMutex, MutexGuard as StdGuard, PoisonError, RwLock as StdRwLock, TryLockError,
};

pub(crate) use std::sync::{RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// [`std::sync::Mutex`]. Its lock is one of `()`: what the library does about poison is compiled once, and not for each type.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T> {
    lock: StdMutex<()>,
    value: UnsafeCell<T>,
}

// SAFETY: whoever reaches the value holds the lock, so this sends it from thread to thread.
unsafe impl<T: Send> Sync for Mutex<T> {}

/// The value, while the lock is held.
pub(crate) struct MutexGuard<'g, T> {
    held: StdGuard<'g, ()>,
    value: &'g UnsafeCell<T>,
}

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Mutex<T> {
        Mutex {
            lock: StdMutex::new(()),
            value: UnsafeCell::new(value),
        }
    }

    #[inline]
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.guard(held(&self.lock))
    }

    /// `None` while it is locked.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.lock.try_lock() {
            Ok(held) => Some(self.guard(held)),
            Err(TryLockError::Poisoned(poisoned)) => Some(self.guard(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The guard belongs to this lock.
    #[inline]
    fn guard<'g>(&'g self, held: StdGuard<'g, ()>) -> MutexGuard<'g, T> {
        MutexGuard {
            held,
            value: &self.value,
        }
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    pub(crate) fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

#[inline]
fn held(lock: &StdMutex<()>) -> StdGuard<'_, ()> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the lock is held as long as the guard lives, and the result borrows the guard.
        unsafe { &*self.value.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and the borrow of the guard is exclusive.
        unsafe { &mut *self.value.get() }
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
        let MutexGuard { held, value } = guard;
        let held = self.0.wait(held).unwrap_or_else(PoisonError::into_inner);
        MutexGuard { held, value }
    }

    /// Waits for a notice or until the time is over.
    pub(crate) fn wait_timeout<'g, T>(&self, guard: MutexGuard<'g, T>, time: Duration) -> MutexGuard<'g, T> {
        let MutexGuard { held, value } = guard;
        let held = self
            .0
            .wait_timeout(held, time)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        MutexGuard { held, value }
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

#[cfg(test)]
mod tests;
