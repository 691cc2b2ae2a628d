//! Scheduler of blocks whose threads wait for each other: one future per thread, polled in turn.

use std::alloc::Layout;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::block::{BlockContext, Pause};
use super::fault::Run;
use super::grid::Outcome;
use vyre_abi::semantics::named_barrier::NamedBarriers;

use super::named_barrier::Named;
use super::thread::{Spot, Thread};
use super::waiting::Next;
use vyre_abi::ops::WARP_SIZE;

/// Passes in which every thread only waited, before the block gives way to others.
const PATIENCE: u32 = 64;

/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Running,
    AtBarrier(Spot),
    /// At an operation of a tile of this many lanes.
    AtExchange(u32, Spot),
    /// At a grid barrier.
    AtGrid(Spot),
    /// At a cluster barrier.
    AtCluster(Spot),
    /// At a named barrier.
    Named(Named),
    Left,
}

impl BlockContext<'_> {
    /// Runs the threads of a block concurrently.
    ///
    /// Each runs until it ends, reaches a barrier or yields in a waiting loop. A barrier releases
    /// its threads when all others are at it or have exited; a warp operation when the others of
    /// its tile are at it or have exited. If threads wait apart, the first of them faults. The rest of the block is
    /// dropped when a thread faults.
    pub fn lockstep<'b, F>(&'b self, extent: [u32; 3], mut thread: impl FnMut(Thread<'b>) -> F)
    where
        F: Future<Output = Run>,
    {
        let threads = extent.iter().map(|&extent| extent as usize).product();
        let mut futures = Futures::<F>::new(self, threads);
        let first = Thread::new(self, extent, false);
        for z in 0..extent[2] {
            for y in 0..extent[1] {
                for x in 0..extent[0] {
                    futures.push(thread(first.with([x, y, z])));
                }
            }
        }
        let mut states = vec![State::Running; threads];
        let mut named = NamedBarriers::default();
        let mut idle = 0;
        loop {
            let mut waiting = false;
            let mut progress = false;
            let mut elsewhere = false;
            let mut closed = None;
            let mut polling = None;
            let mut still = true;
            for (number, state) in states.iter_mut().enumerate() {
                if matches!(state, State::Running) {
                    match futures.poll(number) {
                        Poll::Ready(_) => {
                            if self.faulted.get() {
                                return;
                            }
                            *state = State::Left;
                            progress = true;
                        }
                        Poll::Pending => match self.pause.get() {
                            Pause::Wait => {
                                waiting = true;
                                still = false;
                            }
                            Pause::Poll { site, again } => {
                                waiting = true;
                                polling.get_or_insert((number, site));
                                progress |= !again;
                            }
                            Pause::Phase { site, again } => {
                                closed.get_or_insert((number, site));
                                progress |= !again;
                            }
                            Pause::Barrier(spot) => {
                                *state = State::AtBarrier(spot);
                                progress = true;
                            }
                            Pause::Named(named) => {
                                *state = State::Named(named);
                                progress = true;
                            }
                            Pause::Grid(spot) => {
                                *state = State::AtGrid(spot);
                                progress = true;
                            }
                            Pause::Cluster(spot) => {
                                *state = State::AtCluster(spot);
                                progress = true;
                            }
                            Pause::Exchange(tile, spot) => {
                                *state = State::AtExchange(tile, spot);
                                progress = true;
                            }
                        },
                    }
                }
                elsewhere |= !matches!(state, State::Running | State::AtBarrier(_) | State::Left);
            }
            if progress {
                self.go_on();
            }
            // Most threads are at barriers of the block.
            if elsewhere && (self.exchange(&mut states) || named.pass(&mut states)) {
                idle = 0;
                self.go_on();
                continue;
            }
            if let (Some((number, site)), false, false) = (closed, waiting, progress) {
                // Only threads of the block arrive there, and none of them makes progress.
                self.fault(site, &[], place(number, extent));
                return;
            }
            if waiting || closed.is_some() {
                idle = if progress { 0 } else { idle + 1 };
                if let (Some(cluster), false) = (self.cluster, progress) {
                    cluster.give_way();
                }
                if idle > PATIENCE && self.wait(still) == Next::Fault {
                    if let Some((number, site)) = polling {
                        self.fault(site, &[], place(number, extent));
                    }
                    return;
                }
            } else if self.is_stuck(&states, extent) || !self.open(&mut states, extent) {
                return;
            }
        }
    }

    /// Opens the barrier at which all threads wait that have not left; false if the block has ended.
    fn open(&self, states: &mut [State], extent: [u32; 3]) -> bool {
        let waits = |state: &State| !matches!(state, State::Left);
        let Some(number) = states.iter().position(waits) else {
            return false;
        };
        let first = states[number];
        let apart = match first {
            State::AtBarrier(spot) => release(&mut states[number..], spot),
            _ => states.iter().copied().find(|state| waits(state) && *state != first),
        };
        if let (Some(spot), Some(other)) = (first.spot(), apart.and_then(State::spot)) {
            self.fault_apart(spot, other, place(number, extent));
            return false;
        }
        match first {
            State::AtBarrier(_) => {
                self.votes.open();
                return true;
            }
            State::AtGrid(spot) => {
                let outcome = match states.contains(&State::Left) {
                    true => Outcome::Missed,
                    false => self.wait_for_grid(spot),
                };
                if outcome == Outcome::Missed {
                    self.fault(spot.site(), &[], place(number, extent));
                }
                if outcome != Outcome::Opened {
                    return false;
                }
            }
            State::AtCluster(spot) => {
                let Some(cluster) = self.cluster else { return false };
                match cluster.wait(Some(spot)) {
                    Outcome::Opened => {}
                    Outcome::Broken => return false,
                    Outcome::Missed => {
                        self.fault_apart(spot, cluster.elsewhere(spot), place(number, extent));
                        return false;
                    }
                }
            }
            // A tile all of whose threads wait at one exchange has gone on.
            State::Running | State::AtExchange(..) | State::Named(_) | State::Left => return false,
        }
        for state in states.iter_mut().filter(|state| **state == first) {
            *state = State::Running;
        }
        true
    }

    /// Gives way to other blocks after a pass in which no thread went on, and in which each only polled if it was
    /// `still`.
    fn wait(&self, still: bool) -> Next {
        match self.worker {
            Some(worker) => worker.wait(still),
            None => {
                std::thread::yield_now();
                Next::Poll
            }
        }
    }

    /// Notes that a thread went on.
    fn go_on(&self) {
        if let Some(worker) = self.worker {
            worker.go_on();
        }
    }

    /// Carries out the exchanges of the tiles all of whose threads have left or are at the same one; true if
    /// there were any.
    fn exchange(&self, states: &mut [State]) -> bool {
        let mut exchanged = false;
        for (number, warp) in states.chunks_mut(WARP_SIZE as usize).enumerate() {
            let mut lane = 0;
            while lane < warp.len() {
                let at @ State::AtExchange(tile, _) = warp[lane] else {
                    lane += 1;
                    continue;
                };
                let first = lane - lane % tile as usize;
                let end = warp.len().min(first + tile as usize);
                let members = &mut warp[first..end];
                lane += 1;
                if !members.iter().all(|state| *state == at || *state == State::Left) {
                    continue;
                }
                let mut there = 0;
                for (place, state) in members.iter_mut().enumerate() {
                    if *state == at {
                        *state = State::Running;
                        there |= 1 << (first + place);
                    }
                }
                self.scratch.warps.exchange(number, first..end, there);
                exchanged = true;
                lane = end;
            }
        }
        exchanged
    }
}

/// Releases the threads at a barrier of the block, up to one that waits elsewhere, which it returns.
fn release(states: &mut [State], spot: Spot) -> Option<State> {
    for state in states {
        match *state {
            State::AtBarrier(at) if at == spot => *state = State::Running,
            State::Left => {}
            other => return Some(other),
        }
    }
    None
}

impl State {
    /// The barrier or exchange at which the thread waits.
    fn spot(self) -> Option<Spot> {
        match self {
            State::AtBarrier(spot) | State::AtExchange(_, spot) | State::AtGrid(spot) | State::AtCluster(spot) => {
                Some(spot)
            }
            State::Named(named) => Some(named.spot),
            State::Running | State::Left => None,
        }
    }
}

/// The position of a thread in its block.
pub(super) fn place(number: usize, [width, height, _]: [u32; 3]) -> [u32; 3] {
    let number = number as u32;
    [number % width, number / width % height, number / width / height]
}

/// The futures of a block, in memory reused by the worker.
struct Futures<F> {
    pointer: *mut F,
    length: usize,
    capacity: usize,
}

impl<F: Future> Futures<F> {
    fn new(block: &BlockContext<'_>, capacity: usize) -> Self {
        let Ok(layout) = Layout::array::<F>(capacity) else {
            panic!("a block has {capacity} threads of {} bytes each", size_of::<F>());
        };
        Futures {
            pointer: block.scratch.futures.get(layout).as_ptr().cast(),
            length: 0,
            capacity,
        }
    }

    fn push(&mut self, future: F) {
        assert!(self.length < self.capacity, "a block has more threads than its shape");
        // SAFETY: the region has room for `capacity` futures, of which `length` are in use. A
        // worker runs one block at a time, so nothing else uses the region.
        unsafe { self.pointer.add(self.length).write(future) };
        self.length += 1;
    }

    #[inline]
    fn poll(&mut self, number: usize) -> Poll<F::Output> {
        assert!(number < self.length, "thread {number} of a block has no future");
        // SAFETY: the future is initialised, and stays where it is until it is dropped in place.
        let future = unsafe { Pin::new_unchecked(&mut *self.pointer.add(number)) };
        future.poll(&mut Context::from_waker(Waker::noop()))
    }
}

impl<F> Drop for Futures<F> {
    fn drop(&mut self) {
        if std::mem::needs_drop::<F>() {
            for number in 0..self.length {
                // SAFETY: the first `length` futures are initialised and are dropped once, here.
                unsafe { self.pointer.add(number).drop_in_place() };
            }
        }
    }
}
