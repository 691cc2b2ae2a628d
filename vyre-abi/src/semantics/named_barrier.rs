//! Named barriers: warps arrive, some of them wait, and each barrier opens when enough have
//! arrived.
//!
//! The interpreter and the CPU back end both have a list of the threads of a block with their
//! states; this releases waiting ones.

use crate::limits::NAMED_BARRIERS;
use crate::ops::WARP_SIZE;

/// The state of a thread, as far as it concerns named barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtBarrier {
    /// It has left, and is not waited for.
    Left,
    /// It has come to a barrier, where its warp is not yet.
    Arriving {
        /// The barrier's number.
        barrier: u32,
        /// The number of warps that it expects.
        warps: u32,
        /// True if the thread waits there.
        waits: bool,
    },
    /// It waits at a barrier, which had opened so often when it arrived.
    Held {
        /// The barrier's number.
        barrier: u32,
        /// How often.
        openings: u32,
    },
    /// It is elsewhere.
    Elsewhere,
}

/// A thread that comes to named barriers.
pub trait Arrives {
    /// Its state.
    fn at(&self) -> AtBarrier;
    /// True if it has reached its barrier by the same calls as another thread of its warp that is
    /// at one.
    fn is_with(&self, other: &Self) -> bool;
    /// Lets it wait until the barrier has opened more often.
    fn hold(&mut self, openings: u32);
    /// Its warp arrives at the barrier, which has opened so often.
    fn arrive(&mut self, openings: u32) {
        let _ = openings;
    }
    /// Releases the thread.
    fn go_on(&mut self);
}

/// The named barriers of a block, by their numbers; the first one has no name.
#[derive(Clone, Debug, Default)]
pub struct NamedBarriers([Count; NAMED_BARRIERS as usize]);

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Warps that have arrived since it opened last.
    arrived: u32,
    /// How often it has opened.
    openings: u32,
}

impl NamedBarriers {
    /// Lets warps arrive all of whose threads are at a named barrier or have exited, and releases
    /// those that wait at an opened one; true if there were any.
    pub fn pass<T: Arrives>(&mut self, threads: &mut [T]) -> bool {
        let mut passed = false;
        for warp in threads.chunks_mut(WARP_SIZE as usize) {
            passed |= self.arrive(warp);
        }
        for thread in threads {
            if let AtBarrier::Held { barrier, openings } = thread.at()
                && self.0[barrier as usize].openings != openings
            {
                thread.go_on();
                passed = true;
            }
        }
        passed
    }

    fn arrive<T: Arrives>(&mut self, warp: &mut [T]) -> bool {
        let mut there = warp.iter().filter(|thread| thread.at() != AtBarrier::Left);
        let Some(first) = there.next() else { return false };
        let AtBarrier::Arriving { barrier, warps, waits } = first.at() else {
            return false;
        };
        if there.any(|other| other.at() != first.at() || !first.is_with(other)) {
            return false;
        }
        let count = &mut self.0[barrier as usize];
        for thread in warp.iter_mut().filter(|thread| thread.at() != AtBarrier::Left) {
            thread.arrive(count.openings);
            match waits {
                true => thread.hold(count.openings),
                false => thread.go_on(),
            }
        }
        count.arrived += 1;
        if count.arrived == warps {
            count.arrived = 0;
            count.openings += 1;
        }
        true
    }
}
