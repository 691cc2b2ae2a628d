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
use super::thread::Thread;
use super::waiting::Next;
use vyre_abi::ops::WARP_SIZE;

/// Passes in which every thread only waited, before the block gives way to others.
const PATIENCE: u32 = 64;

/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Running,
    AtBarrier,
    /// At an operation of a tile of this many lanes.
    AtExchange(u32),
    /// At a grid barrier with this site.
    AtGrid(usize),
    /// At a cluster barrier.
    AtCluster,
    /// At a named barrier.
    Named(Named),
    Left,
}

impl BlockContext<'_> {
    /// Runs the threads of a block concurrently.
    ///
    /// Each runs until it ends, reaches a barrier or yields in a waiting loop. A barrier releases
    /// its threads when all others are at one or have exited; a warp operation when the others of
    /// its tile are at one or have exited. The rest of the block is dropped when a thread faults.
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
            let mut barrier = false;
            let mut exchange = false;
            let mut closed = None;
            let mut polling = None;
            let mut still = true;
            for (number, state) in states.iter_mut().enumerate() {
                if *state == State::Running {
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
                            Pause::Barrier => {
                                *state = State::AtBarrier;
                                progress = true;
                            }
                            Pause::Named(named) => {
                                *state = State::Named(named);
                                progress = true;
                            }
                            Pause::Grid(site) => {
                                *state = State::AtGrid(site);
                                progress = true;
                            }
                            Pause::Cluster => {
                                *state = State::AtCluster;
                                progress = true;
                            }
                            Pause::Exchange(tile) => {
                                *state = State::AtExchange(tile);
                                progress = true;
                            }
                        },
                    }
                }
                barrier |= *state == State::AtBarrier;
                exchange |= matches!(state, State::AtExchange(_));
            }
            if progress {
                self.go_on();
            }
            let some = !waiting && closed.is_none();
            if exchange && (self.exchange(&mut states, false) || some && self.exchange(&mut states, true)) {
                idle = 0;
                self.go_on();
                continue;
            }
            if named.pass(&mut states) {
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
            } else if self.is_stuck(&states, extent) {
                return;
            } else if barrier {
                self.votes.open();
                for state in &mut states {
                    if *state == State::AtBarrier {
                        *state = State::Running;
                    }
                }
            } else if let Some((number, site)) = at_grid(&states) {
                let together = states.iter().all(|state| *state == State::AtGrid(site));
                let outcome = if together {
                    self.wait_for_grid()
                } else {
                    Outcome::Missed
                };
                if outcome == Outcome::Missed {
                    self.fault(site, &[], place(number, extent));
                }
                if outcome != Outcome::Opened {
                    return;
                }
                states.fill(State::Running);
            } else if states.contains(&State::AtCluster) {
                if self.cluster.is_some_and(|cluster| !cluster.wait()) {
                    return;
                }
                for state in &mut states {
                    if *state == State::AtCluster {
                        *state = State::Running;
                    }
                }
            } else {
                return;
            }
        }
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

    /// Carries out the exchanges of the tiles all of whose threads have left or are at one; true if
    /// there were any. Where `some` suffice, it is enough that none of them runs: a kernel that needs
    /// this is wrong, but nothing hangs.
    fn exchange(&self, states: &mut [State], some: bool) -> bool {
        let mut exchanged = false;
        for (number, warp) in states.chunks_mut(WARP_SIZE as usize).enumerate() {
            let mut lane = 0;
            while lane < warp.len() {
                let State::AtExchange(tile) = warp[lane] else {
                    lane += 1;
                    continue;
                };
                let first = lane - lane % tile as usize;
                let end = warp.len().min(first + tile as usize);
                let members = &mut warp[first..end];
                lane += 1;
                let stands = |state: &State| match state {
                    State::Running => false,
                    State::Left => true,
                    state => some || *state == State::AtExchange(tile),
                };
                if !members.iter().all(stands) {
                    continue;
                }
                let mut there = 0;
                for (place, state) in members.iter_mut().enumerate() {
                    if *state == State::AtExchange(tile) {
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

/// The first thread at a grid barrier, and the barrier's site.
fn at_grid(states: &[State]) -> Option<(usize, usize)> {
    states.iter().enumerate().find_map(|(number, state)| match *state {
        State::AtGrid(site) => Some((number, site)),
        _ => None,
    })
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
