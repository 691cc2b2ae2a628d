//! Execution of one block of a launch.

use std::alloc::Layout;
use std::cell::Cell;

use vyre_abi::fault::MAX_FAULT_VALUES;
use vyre_abi::kernel::Site;
use vyre_abi::limits::SHARED_ALIGN;

use super::cluster::{Kind, Member};
use super::fault::{FaultSlot, HostFault, Left, Run};
use super::grid::{GridBarrier, Outcome};
use super::named_barrier::Named;
use super::print::PrintSlot;
use super::regions::Returned;
use super::scratch::Scratch;
use super::thread::{Spot, Thread};
use super::waiting::Worker;

/// The extents of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Extents {
    /// Blocks along each axis.
    pub grid: [u32; 3],
    /// Dynamic shared memory of each block, in bytes.
    pub shared_bytes: u32,
    /// True if the blocks wait for each other, and so run at the same time.
    pub cooperative: bool,
    /// Blocks of a cluster along each axis, if they make clusters.
    pub cluster: Option<[u32; 3]>,
}

/// The other blocks of a launch, as a block sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Among<'l> {
    /// They run when a worker has time.
    Any(&'l Worker<'l>),
    /// They run at the same time, and meet at a barrier.
    Grid(&'l GridBarrier),
    /// Those of its cluster run at the same time.
    Cluster(&'l Member<'l>),
}

/// A block executed by a worker: the state shared by its threads.
#[derive(Debug)]
pub struct BlockContext<'l> {
    pub(super) index: [u32; 3],
    pub(super) grid: [u32; 3],
    /// Bytes of dynamic shared memory.
    shared_bytes: u32,
    /// The barrier of all blocks, in a cooperative launch.
    grid_barrier: Option<&'l GridBarrier>,
    /// This block's membership in its cluster.
    pub(super) cluster: Option<&'l Member<'l>>,
    /// The worker that runs the block, if blocks run in any order.
    pub(super) worker: Option<&'l Worker<'l>>,
    /// The linear index of the block in the launch: cluster by cluster, x fastest.
    pub(super) number: u64,
    /// The places at which the kernel can fault.
    sites: Cell<&'static [Site<'static>]>,
    pub(super) faults: &'l FaultSlot,
    pub(super) prints: &'l PrintSlot,
    pub(super) scratch: &'l Scratch,
    /// The reason why the most recently polled future is pending.
    pub(super) pause: Cell<Pause>,
    /// True once a thread of this block has faulted.
    pub(crate) faulted: Cell<bool>,
    /// The votes at the next barrier, and those at the last one.
    pub(super) votes: Votes,
    /// The threads that have returned, where the block runs region by region.
    pub(super) returned: Returned,
}

/// Counts of votes at barriers. Threads read those of the opened barrier while the first of them
/// already vote for the next one.
#[derive(Debug, Default)]
pub(super) struct Votes {
    /// Number of barriers opened so far.
    opened: Cell<usize>,
    counts: [Cell<u32>; 2],
}

impl Votes {
    /// Adds votes for the next barrier; returns its index.
    pub(super) fn give(&self, votes: u32) -> usize {
        let barrier = self.opened.get();
        let count = &self.counts[barrier % 2];
        count.set(count.get() + votes);
        barrier
    }

    /// The votes at the barrier opened last.
    pub(super) fn last(&self) -> u32 {
        self.read(self.opened.get() - 1)
    }

    /// The votes at a barrier, which is the one opened last.
    pub(super) fn read(&self, barrier: usize) -> u32 {
        self.counts[barrier % 2].get()
    }

    /// Opens the barrier that all threads have reached, each of which has read the previous one.
    pub(super) fn open(&self) {
        let opened = self.opened.get() + 1;
        self.opened.set(opened);
        self.counts[opened % 2].set(0);
    }
}

/// The reason why a thread is suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// At a barrier.
    Barrier(Spot),
    /// At a grid barrier.
    Grid(Spot),
    /// At a cluster barrier.
    Cluster(Spot),
    /// At an operation of a tile of this many lanes.
    Exchange(u32, Spot),
    /// At a named barrier.
    Named(Named),
    /// In a loop that waits for another thread.
    Wait,
    /// In a loop that only polls what another thread writes.
    Poll {
        /// The site of the fault in case it waits forever.
        site: usize,
        /// True if it has waited before, and done nothing since.
        again: bool,
    },
    /// Waiting for a phase of a barrier at which threads of its block arrive.
    Phase {
        /// The site of the fault in case it waits forever.
        site: usize,
        /// True if it has waited before, and done nothing since.
        again: bool,
    },
}

impl<'l> BlockContext<'l> {
    pub(crate) fn new(
        number: u64,
        index: [u32; 3],
        extents: Extents,
        (faults, prints): (&'l FaultSlot, &'l PrintSlot),
        (scratch, among): (&'l Scratch, Among<'l>),
    ) -> Self {
        let (grid_barrier, cluster, worker) = match among {
            Among::Any(worker) => (None, None, Some(worker)),
            Among::Grid(barrier) => (Some(barrier), None, None),
            Among::Cluster(member) => (None, Some(member), None),
        };
        BlockContext {
            index,
            grid: extents.grid,
            shared_bytes: extents.shared_bytes,
            grid_barrier,
            cluster,
            worker,
            number,
            sites: Cell::new(&[]),
            faults,
            prints,
            scratch,
            pause: Cell::new(Pause::Wait),
            faulted: Cell::new(false),
            votes: Votes::default(),
            returned: Returned::default(),
        }
    }

    /// Publishes dynamic shared memory, if any, to the other blocks of the cluster.
    pub(crate) fn publish_dynamic(&self) {
        if let (Some(cluster), 1..) = (self.cluster, self.shared_bytes) {
            cluster.publish(Kind::Dynamic, self.dynamic().0);
        }
    }

    /// Sets the sites that threads refer to by index.
    pub fn set_sites(&self, sites: &'static [Site<'static>]) {
        self.sites.set(sites);
    }

    /// Runs one thread after the other, for kernels whose threads never wait for each other.
    ///
    /// `extent` is the shape of the block. The rest of the block is skipped when a thread faults.
    #[inline(always)]
    pub fn each<'b>(&'b self, extent: [u32; 3], thread: impl FnMut(Thread<'b>) -> Run) {
        self.run(extent, false, thread);
    }

    /// [`each`](Self::each), for a block that is [`inside`](Self::inside) of the bounds.
    #[inline(always)]
    pub fn each_inside<'b>(&'b self, extent: [u32; 3], thread: impl FnMut(Thread<'b>) -> Run) {
        self.run(extent, true, thread);
    }

    #[inline(always)]
    fn run<'b>(&'b self, extent: [u32; 3], inside: bool, mut thread: impl FnMut(Thread<'b>) -> Run) {
        // A copy, because a store through a raw pointer could otherwise be assumed to change it.
        let first = Thread::new(self, extent, inside);
        // Without iterators: it is compiled for each kernel, and runs unoptimised in dev builds.
        let [width, height, depth] = extent;
        let (mut x, mut y, mut z) = (0, 0, 0);
        while z < depth {
            while y < height {
                while x < width {
                    if thread(first.with([x, y, z])).is_err() {
                        return;
                    }
                    x += 1;
                }
                (x, y) = (0, y + 1);
            }
            (y, z) = (0, z + 1);
        }
    }

    /// True if the indices of the block's threads in the launch along x are less than every bound.
    /// The body then does not compare them: it calls the methods of [`Thread`] that begin with
    /// `own`.
    #[inline(always)]
    pub fn inside<const N: usize>(&self, extent: u32, bounds: [u64; N]) -> bool {
        let end = (u64::from(self.index[0]) + 1) * u64::from(extent);
        let mut inside = true;
        for bound in bounds {
            inside &= end <= bound;
        }
        inside
    }

    /// The shared memory of the block: `size` bytes, aligned to `align`, all initialised, with the
    /// content of the previous block; zeroed if `zeroed`, for types with invalid bit patterns.
    pub fn shared(&self, size: usize, align: usize, zeroed: bool) -> *mut u8 {
        let Ok(layout) = Layout::from_size_align(size, align) else {
            panic!("the shared memory of a kernel has {size} bytes, aligned to {align}");
        };
        let pointer = self.scratch.shared.get(layout).as_ptr();
        if zeroed {
            // SAFETY: the region holds at least `size` bytes.
            unsafe { pointer.write_bytes(0, size) };
        }
        if let Some(cluster) = self.cluster {
            cluster.publish(Kind::Static, pointer);
        }
        pointer
    }

    /// Waits for the other blocks of a cooperative launch, all of whose threads come to this barrier.
    pub(super) fn wait_for_grid(&self, spot: Spot) -> Outcome {
        self.grid_barrier.map_or(Outcome::Broken, |barrier| barrier.wait(spot))
    }

    /// Faults at a barrier or exchange where a thread waits while another one waits at a different one.
    pub(super) fn fault_apart(&self, spot: Spot, other: Spot, thread: [u32; 3]) {
        let there = self.sites.get()[other.site()].location;
        self.fault(spot.site(), &[there.line.into(), there.column.into()], thread);
    }

    /// The address in the shared memory of another block of the cluster that corresponds to one in
    /// that of this block; if there is no such block, the number of blocks of the cluster.
    pub(super) fn map(&self, place: *mut u8, rank: u64) -> Result<*mut u8, u64> {
        match self.cluster {
            Some(cluster) => cluster
                .map(place, rank, self.shared_bytes)
                .ok_or_else(|| cluster.blocks()),
            None if rank == 0 => Ok(place),
            None => Err(1),
        }
    }

    /// The dynamic shared memory of the block, and its size: all initialised, with the content of
    /// the previous block.
    pub(super) fn dynamic(&self) -> (*mut u8, u64) {
        let Ok(layout) = Layout::from_size_align(self.shared_bytes as usize, SHARED_ALIGN as usize) else {
            panic!("a block has {} bytes of dynamic shared memory", self.shared_bytes);
        };
        (self.scratch.dynamic.get(layout).as_ptr(), self.shared_bytes.into())
    }

    #[cold]
    #[inline(never)]
    pub(super) fn fault_of_two(&self, site: usize, a: u64, b: u64, thread: [u32; 3]) -> Left {
        self.fault(site, &[a, b], thread)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn fault(&self, site: usize, given: &[u64], thread: [u32; 3]) -> Left {
        let site = &self.sites.get()[site];
        let mut values = [0; MAX_FAULT_VALUES];
        for (value, &given) in values.iter_mut().zip(given) {
            *value = given;
        }
        let fault = HostFault {
            site,
            values,
            block: self.index,
            thread,
        };
        self.faulted.set(true);
        self.faults.record(self.number, fault);
        Left
    }
}
