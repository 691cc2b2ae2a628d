//! The faults that launches of a device have reported.
//!
//! A fault is told once by a wait for a stream, or for one that followed it. Each allocation that the
//! faulted launch may have written is marked, and a download of it is that fault, each time, until
//! something has overwritten all of it. So a fault that another thread was told is still seen by
//! everybody who looks at the data.

use std::ops::RangeInclusive;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use crate::backend::{AllocationId, FaultedLaunch, Write};
use crate::device::stream::{Reached, StreamState};
use crate::error::{Error, Result};
use crate::sync::Mutex;

/// Limit of the faults kept to be told. Marks keep later ones.
const UNTOLD: usize = 1024;

#[derive(Default)]
pub(crate) struct Faults {
    /// True if there is any. Read on each download, in place of the lock.
    any: AtomicBool,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// In the order in which they were collected.
    untold: Vec<Untold>,
    marks: Vec<Mark>,
    watches: Vec<Weak<Watch>>,
}

/// Looks out for faults of launches that may have written an allocation before it was read. Other than a mark it stays when
/// the allocation is overwritten after that.
pub(crate) struct Watch {
    allocation: AllocationId,
    /// The numbers of the launches.
    launches: RangeInclusive<u64>,
    fault: OnceLock<(u64, Error)>,
}

impl Watch {
    fn see(&self, write: Write, error: &Error) {
        if write.allocation == self.allocation && self.launches.contains(&write.launch) {
            let _ = self.fault.set((write.launch, error.clone()));
        }
    }
}

struct Untold {
    stream: &'static StreamState,
    launch: u64,
    error: Error,
}

/// An allocation that a faulted launch may have written.
struct Mark {
    write: Write,
    error: Error,
}

impl Faults {
    /// Adds the launches of a stream that faulted.
    pub(crate) fn add(&self, stream: &'static StreamState, faulted: Vec<FaultedLaunch>) {
        if faulted.is_empty() {
            return;
        }
        let mut known = self.known.lock();
        for FaultedLaunch { launch, error, writes } in faulted {
            for write in writes {
                for watch in known.watches.iter().filter_map(Weak::upgrade) {
                    watch.see(write, &error);
                }
                known.mark(write, &error);
            }
            if known.untold.len() < UNTOLD {
                known.untold.push(Untold { stream, launch, error });
            }
        }
        self.any.store(true, Ordering::Release);
    }

    /// Tells a fault of what was waited for.
    pub(crate) fn tell(&self, reached: &[Reached]) -> Result<()> {
        let covers = |fault: &Untold, one: &Reached| ptr::eq(one.stream, fault.stream) && fault.launch <= one.last;
        self.tell_where(&|fault| reached.iter().any(|one| covers(fault, one)))
    }

    /// Tells a fault of any stream.
    pub(crate) fn tell_any(&self) -> Result<()> {
        self.tell_where(&|_| true)
    }

    /// Tells the fault of a launch.
    pub(crate) fn tell_launch(&self, launch: u64) -> Result<()> {
        self.tell_where(&|fault| fault.launch == launch)
    }

    /// The first fault of a launch with such a number, which is still to be told.
    pub(crate) fn first_of(&self, launches: impl Fn(u64) -> bool) -> Option<Error> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let known = self.known.lock();
        let faults = known.untold.iter().filter(|fault| launches(fault.launch));
        faults.min_by_key(|fault| fault.launch).map(|fault| fault.error.clone())
    }

    /// Tells the first fault of a launch with such a number, and no other of them later.
    pub(crate) fn tell_first_of(&self, launches: impl Fn(u64) -> bool) -> Result<()> {
        if !self.any.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut known = self.known.lock();
        let told: Vec<Untold> = known.untold.extract_if(.., |fault| launches(fault.launch)).collect();
        self.settle(&known);
        match told.into_iter().min_by_key(|fault| fault.launch) {
            Some(first) => Err(first.error),
            None => Ok(()),
        }
    }

    fn tell_where(&self, wanted: &dyn Fn(&Untold) -> bool) -> Result<()> {
        if !self.any.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut known = self.known.lock();
        let Some(first) = known.untold.iter().position(wanted) else {
            return Ok(());
        };
        let told = known.untold.remove(first);
        self.settle(&known);
        Err(told.error)
    }

    /// Tells the first fault of a launch that may have written an allocation since launch `cleared`.
    pub(crate) fn tell_of(&self, allocation: AllocationId, cleared: u64) -> Result<()> {
        if !self.any.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut known = self.known.lock();
        known
            .marks
            .retain(|mark| mark.write.allocation != allocation || mark.write.launch > cleared);
        let marks = known.marks.iter().filter(|mark| mark.write.allocation == allocation);
        let first = marks.min_by_key(|mark| mark.write.launch);
        let found = first.map(|mark| (mark.write.launch, mark.error.clone()));
        if let Some((launch, _)) = found {
            known.note_told(launch);
        }
        self.settle(&known);
        match found {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }

    /// Looks out for faults of the launches after `cleared`, up to the one that is the last now, that may have written an
    /// allocation.
    pub(crate) fn watch(&self, allocation: AllocationId, cleared: u64, last: u64) -> Arc<Watch> {
        let watch = Arc::new(Watch {
            allocation,
            launches: cleared + 1..=last,
            fault: OnceLock::new(),
        });
        let mut known = self.known.lock();
        known.watches.retain(|watch| watch.strong_count() != 0);
        known.watches.push(Arc::downgrade(&watch));
        for mark in &known.marks {
            watch.see(mark.write, &mark.error);
        }
        watch
    }

    /// Tells the fault that a watch has seen, as far as faults are collected.
    pub(crate) fn tell_watched(&self, watch: &Watch) -> Result<()> {
        let Some((launch, error)) = watch.fault.get() else {
            return Ok(());
        };
        let mut known = self.known.lock();
        known.note_told(*launch);
        self.settle(&known);
        Err(error.clone())
    }

    /// Forgets an allocation that is freed.
    pub(crate) fn forget(&self, allocation: AllocationId) {
        if self.any.load(Ordering::Acquire) {
            let mut known = self.known.lock();
            known.marks.retain(|mark| mark.write.allocation != allocation);
            self.settle(&known);
        }
    }

    /// True if a fault of a stream was not told yet.
    pub(crate) fn has_untold(&self, stream: &StreamState) -> bool {
        self.any.load(Ordering::Acquire)
            && self
                .known
                .lock()
                .untold
                .iter()
                .any(|fault| ptr::eq(fault.stream, stream))
    }

    fn settle(&self, known: &Known) {
        if known.untold.is_empty() && known.marks.is_empty() {
            self.any.store(false, Ordering::Release);
        }
    }
}

impl Known {
    /// No wait tells the fault of the launch any more.
    fn note_told(&mut self, launch: u64) {
        self.untold.retain(|fault| fault.launch != launch);
    }

    /// Marks an allocation. Of several launches that wrote it the first and the last are kept: the
    /// allocation may have been overwritten between any two.
    fn mark(&mut self, write: Write, error: &Error) {
        let mut same = (self.marks.iter_mut()).filter(|mark| mark.write.allocation == write.allocation);
        let (first, last) = (same.next(), same.next());
        match last {
            Some(last) if first.is_some() => {
                if last.write.launch < write.launch {
                    last.write = write;
                    last.error = error.clone();
                }
            }
            _ => self.marks.push(Mark {
                write,
                error: error.clone(),
            }),
        }
    }
}

#[cfg(test)]
mod tests;
