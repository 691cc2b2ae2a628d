//! A thread as its body sees it.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Instant;

use vyre_abi::fault::FaultKind;
use vyre_abi::limits::SHARED_ALIGN;

use super::block::{BlockContext, Pause};
use super::fault::{Left, Run};
use super::memory::Slice;
use super::scheduler::place;

/// A thread of a block. Axes are 0 for x, 1 for y, 2 for z; sites are indices into those set by
/// [`BlockContext::set_sites`].
#[derive(Clone, Copy, Debug)]
pub struct Thread<'b> {
    pub(super) context: &'b BlockContext<'b>,
    index: [u32; 3],
    extent: [u32; 3],
    /// True if the block is inside of the bounds that the body compares own indices with.
    inside: bool,
    /// True if it runs for the lanes of a chunk, which give up where it would fault.
    on_trial: bool,
    block: [u32; 3],
    grid: [u32; 3],
    /// The calls by which it has come to the current function, as a number.
    way: u32,
}

/// A barrier or exchange, as a thread comes to it. Threads wait together at one that they have reached by the same calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot(u64);

impl Spot {
    /// The site, which no other statement has.
    pub(super) fn site(self) -> usize {
        (self.0 >> 32) as usize
    }
}

impl<'b> Thread<'b> {
    /// The first thread of a block.
    #[inline(always)]
    pub(super) fn new(context: &'b BlockContext<'b>, extent: [u32; 3], inside: bool) -> Self {
        Thread {
            context,
            index: [0; 3],
            extent,
            inside,
            on_trial: false,
            block: context.index,
            grid: context.grid,
            way: 0,
        }
    }

    /// The thread at another position of the block.
    #[inline(always)]
    pub(super) fn with(self, index: [u32; 3]) -> Self {
        Thread { index, ..self }
    }

    /// The thread as the first lane of a chunk.
    #[inline(always)]
    pub(super) fn on_trial(self) -> Self {
        Thread { on_trial: true, ..self }
    }

    /// The thread in a function that it calls by the call of this number. For functions that wait.
    #[inline(always)]
    pub fn by(self, call: u32) -> Self {
        // The multiplier is odd, so that the way of one call tells it from any other.
        let way = self.way.wrapping_mul(0x9e37_79b1).wrapping_add(call + 1);
        Thread { way, ..self }
    }

    /// A barrier or exchange of the current function.
    #[inline(always)]
    pub(super) fn spot(&self, site: usize) -> Spot {
        // Below the site are the calls that lead there, mixed into a number.
        Spot((site as u64) << 32 | u64::from(self.way))
    }

    /// The position of the thread in its block.
    #[inline(always)]
    pub fn thread(&self, axis: usize) -> u32 {
        self.index[axis]
    }

    /// The position of the block in the grid.
    #[inline(always)]
    pub fn block(&self, axis: usize) -> u32 {
        self.block[axis]
    }

    /// The number of blocks of the grid.
    #[inline(always)]
    pub fn grid(&self, axis: usize) -> u32 {
        self.grid[axis]
    }

    /// The position of the thread in the launch along an axis.
    #[inline(always)]
    pub fn global(&self, axis: usize) -> u64 {
        u64::from(self.block[axis]) * u64::from(self.extent[axis]) + u64::from(self.index[axis])
    }

    /// The linear index of the thread in the launch: block by block, x fastest.
    #[inline(always)]
    pub fn linear(&self) -> u64 {
        let ([x, y, z], [width, height, _]) = (self.block, self.grid);
        // Wraps if the launch has more than 2^64 threads, as on a GPU.
        let block = (z as u64)
            .wrapping_mul(height as u64)
            .wrapping_add(y as u64)
            .wrapping_mul(width as u64)
            .wrapping_add(x as u64);
        block
            .wrapping_mul(self.threads() as u64)
            .wrapping_add(self.number() as u64)
    }

    /// `own < bound`, for an own index; see [`BlockContext::inside`].
    #[inline(always)]
    pub fn own_lt(&self, own: u64, bound: u64) -> bool {
        self.inside || own < bound
    }

    /// `own >= bound`, for an own index; see [`BlockContext::inside`].
    #[inline(always)]
    pub fn own_ge(&self, own: u64, bound: u64) -> bool {
        !self.inside && own >= bound
    }

    /// The element `own`, for an own index; see [`BlockContext::inside`].
    #[inline(always)]
    pub fn own<T>(&self, slice: Slice<T>, own: u64, site: usize) -> Run<*mut T> {
        if self.inside {
            // SAFETY: the length is one of the bounds that the block is within.
            Ok(unsafe { slice.at(own as usize) })
        } else {
            self.at(slice, own, site)
        }
    }

    /// The element `index`, with a bounds check.
    #[inline(always)]
    pub fn at<T>(&self, slice: Slice<T>, index: u64, site: usize) -> Run<*mut T> {
        let index = self.index(index, slice.length, site)?;
        // SAFETY: the index was compared with the length.
        Ok(unsafe { slice.at(index) })
    }

    /// The linear index of the thread in its block.
    #[inline(always)]
    pub(super) fn number(&self) -> usize {
        // Without `map`, which is a dozen calls in dev builds.
        let ([x, y, z], [width, height, _]) = (self.index, self.extent);
        (z as usize * height as usize + y as usize) * width as usize + x as usize
    }

    /// The position of the thread in its block.
    #[inline(always)]
    pub(super) fn place_in_block(&self) -> [u32; 3] {
        self.index
    }

    /// The shape of the block.
    #[inline(always)]
    pub(super) fn extent(&self) -> [u32; 3] {
        self.extent
    }

    /// The position of the thread of a linear index in the block.
    #[inline(always)]
    pub(super) fn place(&self, number: usize) -> [u32; 3] {
        place(number, self.extent)
    }

    /// The number of threads of the block.
    #[inline(always)]
    pub(super) fn threads(&self) -> usize {
        let [x, y, z] = self.extent;
        x as usize * y as usize * z as usize
    }

    /// `index`, checked against `length`.
    #[inline(always)]
    pub fn index(&self, index: u64, length: u64, site: usize) -> Run<usize> {
        if index < length {
            Ok(index as usize)
        } else {
            Err(self.fault(site, [index, length]))
        }
    }

    /// The elements `start..end`, with a bounds check.
    #[inline(always)]
    pub fn part<T>(&self, slice: Slice<T>, start: u64, end: u64, site: usize) -> Run<Slice<T>> {
        if start <= end && end <= slice.length {
            // SAFETY: the range was compared with the length.
            Ok(unsafe { slice.part(start, end) })
        } else {
            Err(self.fault(site, [start, end]))
        }
    }

    /// A slice of `length` elements of dynamic shared memory from `offset` bytes on.
    pub fn shared_slice<T>(&self, offset: u64, length: u64, site: usize) -> Run<Slice<T>> {
        let whole = self.shared_rest(offset);
        if length <= whole.length {
            return Ok(Slice { length, ..whole });
        }
        let (start, bytes) = (round_up(offset), self.context.dynamic().1);
        let end = start.wrapping_add(length.wrapping_mul(size_of::<T>() as u64));
        Err(self.fault(site, [end, bytes]))
    }

    /// All of dynamic shared memory from `offset` bytes on.
    pub fn shared_rest<T>(&self, offset: u64) -> Slice<T> {
        let (memory, bytes) = self.context.dynamic();
        let start = round_up(offset).min(bytes);
        Slice {
            // SAFETY: the start is at most the end.
            pointer: unsafe { memory.add(start as usize) }.cast(),
            length: (bytes - start) / size_of::<T>() as u64,
        }
    }

    /// The result of a division or remainder, which may fault at one of two sites.
    #[inline(always)]
    pub fn division<T>(&self, result: Result<T, FaultKind>, zero: usize, overflow: usize) -> Run<T> {
        result.map_err(|kind| {
            let site = if kind == FaultKind::DivisionByZero {
                zero
            } else {
                overflow
            };
            self.fault(site, [0, 0])
        })
    }

    /// Faults at `site` unless `condition` holds.
    #[inline(always)]
    pub fn assert(&self, condition: bool, site: usize) -> Run {
        if condition {
            Ok(())
        } else {
            Err(self.fault(site, [0, 0]))
        }
    }

    /// Records a fault.
    ///
    /// An out-of-line call that takes the thread by reference would force it into memory for each
    /// thread of a block; the call in here takes its index by value.
    #[inline(always)]
    pub fn fault(&self, site: usize, [a, b]: [u64; 2]) -> Left {
        if self.on_trial {
            return Left;
        }
        self.context.fault_of_two(site, a, b, self.index)
    }

    /// Records a fault with the values of a message.
    #[inline(always)]
    pub fn fail(&self, site: usize, values: &[u64]) -> Left {
        if self.on_trial {
            return Left;
        }
        self.context.fault(site, values, self.index)
    }

    /// Prints by the index of a template of the kernel.
    #[inline(always)]
    pub fn print(&self, site: usize, values: &[u64]) {
        self.context.prints.push(self.context.number, site, values);
    }

    /// Waits until every thread of the block that has not exited is at this barrier. The block faults at the site if some
    /// wait elsewhere.
    #[inline(always)]
    pub fn barrier(&self, site: usize) -> impl Future<Output = ()> + use<'b> {
        Gate::new(self.context, Pause::Barrier(self.spot(site)))
    }

    /// Nanoseconds since the first use of the clock by a kernel.
    pub fn clock(&self) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }

    /// Gives way to other threads of the host. The others of the block wait with this one, so it does not sleep.
    #[inline(always)]
    pub fn nap(&self, _nanoseconds: u32) {
        std::thread::yield_now();
    }

    /// Waits until every thread of the grid is at its barrier. The block ends there if one has
    /// faulted, and faults at the site if one never arrives.
    #[inline(always)]
    pub fn grid_barrier(&self, site: usize) -> impl Future<Output = ()> + use<'b> {
        Gate::new(self.context, Pause::Grid(self.spot(site)))
    }

    /// Waits until every thread of the cluster that has not exited is at this barrier. The cluster faults at the site if
    /// some wait elsewhere.
    #[inline(always)]
    pub fn cluster_barrier(&self, site: usize) -> impl Future<Output = ()> + use<'b> {
        Gate::new(self.context, Pause::Cluster(self.spot(site)))
    }

    /// The address in the shared memory of another block of the cluster that corresponds to one in this block's.
    pub fn map_shared<T>(&self, place: *mut T, rank: u64, site: usize) -> Run<*mut T> {
        match self.context.map(place.cast(), rank) {
            Ok(there) => Ok(there.cast()),
            Err(blocks) => Err(self.fault(site, [rank, blocks])),
        }
    }

    /// The same for a slice.
    pub fn map_slice<T>(&self, slice: Slice<T>, rank: u64, site: usize) -> Run<Slice<T>> {
        let pointer = self.map_shared(slice.pointer, rank, site)?;
        Ok(Slice { pointer, ..slice })
    }

    /// Waits as [`barrier`](Self::barrier) does, and counts the threads that pass `true`.
    #[inline(always)]
    pub async fn barrier_count(&self, site: usize, predicate: bool) -> u32 {
        let votes = &self.context.votes;
        let barrier = votes.give(u32::from(predicate));
        Gate::new(self.context, Pause::Barrier(self.spot(site))).await;
        votes.read(barrier)
    }

    /// Yields to the other threads of the block, between two iterations of a loop that waits for
    /// another thread; leaves if a thread of the launch has faulted.
    #[inline(always)]
    pub async fn give_way(&self) -> Run {
        self.pause(Pause::Wait).await
    }
}

impl Thread<'_> {
    /// Yields as [`give_way`](Self::give_way) does in a loop that only polls what other threads write: no iteration
    /// changes what a later one does. The block faults at the site if all blocks of the launch only wait.
    #[inline(always)]
    pub async fn poll_again(&self, waited: &mut bool, site: usize) -> Run {
        let again = std::mem::replace(waited, true);
        self.pause(Pause::Poll { site, again }).await
    }

    /// Yields to the other threads of the block while a phase of a barrier lasts; leaves if a
    /// thread of the launch has faulted. The block faults at the site if nothing else makes
    /// progress.
    #[inline(always)]
    pub async fn closed(&self, waited: &mut bool, site: usize) -> Run {
        let again = std::mem::replace(waited, true);
        self.pause(Pause::Phase { site, again }).await
    }

    /// Yields to the other threads of the block; leaves if a thread of the launch has faulted.
    #[inline(always)]
    async fn pause(&self, pause: Pause) -> Run {
        Gate::new(self.context, pause).await;
        if self.context.faults.is_set() {
            Err(Left)
        } else {
            Ok(())
        }
    }
}

/// Rounds an offset into dynamic shared memory up to the alignment of slices.
fn round_up(offset: u64) -> u64 {
    offset.wrapping_add(SHARED_ALIGN - 1) & !(SHARED_ALIGN - 1)
}

/// The result of a division or remainder by a constant other than 0 and -1, which cannot fault.
#[inline(always)]
pub fn quotient<T>(result: Result<T, FaultKind>) -> T {
    match result {
        Ok(value) => value,
        Err(_) => unreachable!("the divisor is neither 0 nor -1"),
    }
}

/// A future that is pending once.
pub(super) struct Gate<'b> {
    context: &'b BlockContext<'b>,
    pause: Pause,
    passed: bool,
}

impl<'b> Gate<'b> {
    #[inline(always)]
    pub(super) fn new(context: &'b BlockContext<'b>, pause: Pause) -> Self {
        Gate {
            context,
            pause,
            passed: false,
        }
    }
}

impl Future for Gate<'_> {
    type Output = ();

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.passed {
            return Poll::Ready(());
        }
        self.passed = true;
        self.context.pause.set(self.pause);
        Poll::Pending
    }
}
