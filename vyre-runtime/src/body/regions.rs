//! Blocks that run region by region.
//!
//! The barriers and exchanges of a body cut it into *parallel regions*, which contain none. Where all threads of a block
//! come to them together, the block runs each region for one thread after the other, and the barrier between two
//! regions needs no more: all threads have come to it. Loops and branches around a barrier run once for the block.
//! Variables that live in more than one region are arrays with an element per thread, variables of the block if they
//! are uniform. The generator decides all this (`generate/host/regions.rs` of `vyre-front`).

use std::alloc::Layout;
use std::cell::{Ref, RefCell};
use std::mem::MaybeUninit;
use std::ops::Range;

use vyre_abi::limits::SHARED_ALIGN;
use vyre_abi::ops::WARP_SIZE;

use super::block::BlockContext;
use super::fault::{Left, Run};
use super::thread::Thread;

/// The alignment of what is kept, that of every type.
const KEPT_ALIGN: usize = SHARED_ALIGN as usize;

/// The elements of a variable that lives in more than one region, by the numbers of the block's threads.
pub type Kept<T, const N: usize> = MaybeUninit<[T; N]>;

/// The threads of a block that runs region by region.
#[derive(Debug)]
pub struct Threads<'b> {
    pub(super) first: Thread<'b>,
}

/// The threads of a block that have returned, by their numbers; empty while there are none. It belongs to the block:
/// [`Threads`] never change, so that LLVM knows the shape of the block in each region.
pub(super) type Returned = RefCell<Vec<bool>>;

impl<'l> BlockContext<'l> {
    /// Its threads, for a block of this shape.
    #[inline(always)]
    pub fn threads(&self, extent: [u32; 3]) -> Threads<'_> {
        Threads {
            first: Thread::new(self, extent, false),
        }
    }

    /// Memory for the variables that live in more than one region, where they are too large for the stack. All
    /// initialised, with the content of the previous block.
    pub fn keep(&self, bytes: usize) -> *mut u8 {
        let Ok(layout) = Layout::from_size_align(bytes, KEPT_ALIGN) else {
            panic!("the threads of a block keep {bytes} bytes");
        };
        self.scratch.kept.get(layout).as_ptr()
    }
}

impl<'b> Threads<'b> {
    /// The thread that evaluates what is the same for all: the first one that has not returned.
    #[inline(always)]
    pub fn first(&self) -> Thread<'b> {
        match self.returned().iter().position(|returned| !returned) {
            Some(number @ 1..) => self.first.with(self.first.place(number)),
            _ => self.first,
        }
    }

    /// Runs a region for each thread, of a body none of whose threads returns early. Ends at the first fault.
    #[inline(always)]
    pub fn each(&self, mut region: impl FnMut(Thread<'b>, usize) -> Run) -> Run {
        let [width, height, depth] = self.first.extent();
        let mut number = 0;
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    region(self.first.with([x, y, z]), number)?;
                    number += 1;
                }
            }
        }
        Ok(())
    }

    /// Runs a region for each thread that has not returned. It yields true where the thread returns. Ends at the first
    /// fault, and when all threads have returned.
    #[inline(always)]
    pub fn each_left(&self, mut region: impl FnMut(Thread<'b>, usize) -> Run<bool>) -> Run {
        let [width, height, depth] = self.first.extent();
        let mut returned = self.first.context.returned.borrow_mut();
        // No thread returns in the place of a later one.
        let all_left = returned.is_empty();
        let (mut stays, mut number) = (false, 0);
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    if all_left || returned.get(number) != Some(&true) {
                        match region(self.first.with([x, y, z]), number)? {
                            false => stays = true,
                            true => {
                                returned.resize(self.first.threads(), false);
                                returned[number] = true;
                            }
                        }
                    }
                    number += 1;
                }
            }
        }
        if stays { Ok(()) } else { Err(Left) }
    }

    /// The threads that have returned. Not for regions, which change them.
    #[inline(always)]
    pub(super) fn returned(&self) -> Ref<'b, Vec<bool>> {
        self.first.context.returned.borrow()
    }

    /// Calls `tile_of` with each tile that has a thread left: the number of its warp, its lanes there, and which of the
    /// warp's lanes are left.
    #[inline(always)]
    pub(super) fn each_tile(&self, tile: u32, mut tile_of: impl FnMut(usize, Range<usize>, u32)) {
        let (tile, threads) = (tile as usize, self.first.threads());
        let returned = self.returned();
        let mut begin = 0;
        while begin < threads {
            let number = begin / WARP_SIZE as usize;
            let warp = number * WARP_SIZE as usize;
            let end = threads.min(begin + tile);
            let mut there = 0;
            for thread in begin..end {
                if returned.get(thread) != Some(&true) {
                    there |= 1 << (thread - warp);
                }
            }
            if there != 0 {
                tile_of(number, begin - warp..end - warp, there);
            }
            begin = end;
        }
    }

    /// Opens the barrier at which the threads have voted, and yields the number of votes.
    pub fn count(&self) -> u32 {
        self.first.context.votes.open();
        self.first.votes()
    }
}

impl Thread<'_> {
    /// Votes at the barrier that comes next.
    #[inline(always)]
    pub fn vote(&self, vote: bool) {
        self.context.votes.give(u32::from(vote));
    }

    /// The votes of all lanes of a chunk at the barrier that comes next.
    #[inline(always)]
    pub fn vote_lanes<const N: usize>(&self, votes: [bool; N]) {
        let mut count = 0;
        for vote in votes {
            count += u32::from(vote);
        }
        self.context.votes.give(count);
    }

    /// The votes at the last barrier.
    #[inline(always)]
    pub fn votes(&self) -> u32 {
        self.context.votes.last()
    }
}
