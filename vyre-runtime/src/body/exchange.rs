//! Exchanges of warps in blocks that run region by region.
//!
//! The threads of a region pass their operands, the block turns, and the threads of the next region read them, while they
//! already pass those of the next exchange. So two arrays take turns, each with an element per thread, and nothing is
//! copied. Threads that are futures exchange by [`Warps`](super::warp::Warps), since their warps do not turn together.

use std::array::from_fn;
use std::cell::{Cell, OnceCell};

use vyre_abi::ops::{Shuffle, WARP_SIZE};

use super::lanes::lanes;
use super::regions::Threads;
use super::thread::Thread;
use super::warp::Exchanged;

/// The values that the lanes of a whole warp get in a shuffle of these, each by its amount; `from` is the index of the shuffle
/// in [`Shuffle::ALL`].
#[inline(always)]
pub fn shuffled<T: Exchanged, const N: usize>(
    values: &[T; N],
    from: usize,
    tile: u32,
    amount: impl Fn(usize) -> u32,
) -> [T; N] {
    lanes(|lane| {
        let own = lane as u32;
        let source = Shuffle::ALL[from].source(tile, own, amount(lane)).unwrap_or(own);
        values[source as usize % N]
    })
}

/// The values of the lanes of each tile of a whole warp, combined in the order of
/// [`reduced`](vyre_abi::semantics::Exchange::reduced).
#[inline(always)]
pub fn reduced<T: Exchanged, const N: usize>(mut values: [T; N], tile: usize, combine: impl Fn(T, T) -> T) -> [T; N] {
    let mut distance = tile / 2;
    while distance > 0 {
        let before = values;
        for lane in 0..N {
            values[lane] = combine(before[lane], before[(lane ^ distance) % N]);
        }
        distance /= 2;
    }
    values
}

/// The lanes of its tile that vote for each lane of a whole warp.
#[inline(always)]
pub fn balloted<const N: usize>(votes: &[bool; N], tile: u32) -> [u32; N] {
    let mut all = 0;
    for (lane, &vote) in votes.iter().enumerate() {
        all |= u32::from(vote) << lane;
    }
    lanes(|lane| in_tile(all, lane as u32, tile))
}

/// Lanes of a warp as lanes of the tile of one of them.
#[inline(always)]
const fn in_tile(lanes: u32, lane: u32, tile: u32) -> u32 {
    lanes >> (lane - lane % tile) & u32::MAX >> (WARP_SIZE - tile)
}

/// The lanes of a warp.
const LANES: usize = WARP_SIZE as usize;

/// The most threads of a block.
const THREADS: usize = 1024;

/// The exchanges of a worker's blocks. The memory is made for the first one.
#[derive(Debug)]
pub(super) struct Exchanges(OnceCell<Box<State>>);

#[derive(Debug)]
struct State {
    /// The operands that threads pass, and those of the last exchange.
    operands: [[Cell<u64>; THREADS]; 2],
    /// The array of `operands` that holds those of the last exchange.
    last: Cell<usize>,
    /// By warp, the lanes that took part in the last exchange.
    there: [Cell<u32>; THREADS / LANES],
    /// By warp, the lanes that passed a nonzero value to the last exchange, once one of them has asked.
    votes: [Cell<Option<u32>>; THREADS / LANES],
}

impl Exchanges {
    pub(super) const fn new() -> Self {
        Exchanges(OnceCell::new())
    }

    #[inline(always)]
    fn state(&self) -> &State {
        match self.0.get() {
            Some(state) => state,
            None => self.make(),
        }
    }

    #[cold]
    #[inline(never)]
    fn make(&self) -> &State {
        let zeros = || from_fn(|_| Cell::new(0));
        self.0.get_or_init(|| {
            Box::new(State {
                operands: [zeros(), zeros()],
                last: Cell::new(0),
                there: from_fn(|_| Cell::new(0)),
                votes: from_fn(|_| Cell::new(None)),
            })
        })
    }
}

impl State {
    /// The operand that a thread passed to the last exchange.
    #[inline(always)]
    fn last(&self, thread: usize) -> &Cell<u64> {
        // The remainders spare the checks.
        &self.operands[self.last.get() % 2][thread % THREADS]
    }

    /// The operands of the lanes of a warp at the last exchange.
    #[inline(always)]
    fn of_warp(&self, warp: usize) -> &[Cell<u64>; LANES] {
        &self.operands[self.last.get() % 2].as_chunks().0[warp % (THREADS / LANES)]
    }

    /// The lanes of a warp that passed such an operand to the last exchange.
    #[inline(always)]
    fn lanes_of_warp(&self, warp: usize, is_such: impl Fn(u64) -> bool) -> u32 {
        let operands = self.of_warp(warp);
        // Without iterators: it is compiled in the crate of the kernel, and runs unoptimised in dev builds.
        let (mut lanes, mut lane) = (0, 0);
        while lane < LANES {
            lanes |= u32::from(is_such(operands[lane].get())) << lane;
            lane += 1;
        }
        lanes
    }

    /// The lanes of a warp that took part in the last exchange.
    #[inline(always)]
    fn there(&self, warp: usize) -> u32 {
        self.there[warp % (THREADS / LANES)].get()
    }
}

impl Threads<'_> {
    /// Turns to the operands that the threads have passed, and leaves none of those that have returned.
    #[inline(always)]
    fn turn(&self) -> &State {
        let (state, threads) = (self.first.context.scratch.exchanges.state(), self.first.threads());
        state.last.set(state.last.get() ^ 1);
        for warp in 0..threads.div_ceil(LANES) {
            let begin = warp * LANES;
            let mut there = u32::MAX >> (LANES - LANES.min(threads - begin));
            for (lane, &returned) in self.returned().iter().skip(begin).take(LANES).enumerate() {
                there &= !(u32::from(returned) << lane);
            }
            state.there[warp].set(there);
            state.votes[warp].set(None);
        }
        state
    }

    /// Carries out the operation to which the threads of each tile have passed their operands.
    pub fn exchange(&self, tile: u32) {
        let warps = &self.first.context.scratch.warps;
        if !warps.take_matrices() {
            self.turn();
            return;
        }
        self.each_tile(tile, |number, lanes, there| warps.exchange(number, lanes, there));
    }

    /// Combines the values that the threads of each tile have passed, for each of its lanes in the order of
    /// [`reduced`](vyre_abi::semantics::Exchange::reduced), and leaves it the result.
    #[inline(always)]
    pub fn reduce<T: Exchanged>(&self, tile: u32, combine: impl Fn(T, T) -> T) {
        let state = self.turn();
        self.each_tile(tile, |warp, lanes, there| {
            let (begin, count) = (warp * LANES + lanes.start, lanes.len());
            let lane_there = |lane: usize| there >> (lanes.start + lane) & 1 == 1;
            let mut values: [T; LANES] = super::lanes::lanes(|lane| T::of_bits(state.last(begin + lane).get()));
            if count == tile as usize && (0..count).all(lane_there) {
                values = reduced(values, count, &combine);
                for (lane, value) in values[..count].iter().enumerate() {
                    state.last(begin + lane).set(value.into_bits());
                }
                return;
            }
            let present = values[..count].iter().enumerate().filter(|(lane, _)| lane_there(*lane));
            if let Some(sum) = present.map(|(_, &value)| value).reduce(&combine) {
                for lane in 0..count {
                    state.last(begin + lane).set(sum.into_bits());
                }
            }
        });
    }
}

impl Thread<'_> {
    /// Passes a value to the operation of the tile that comes next.
    #[inline(always)]
    pub fn offer<T: Exchanged>(&self, value: T) {
        let state = self.context.scratch.exchanges.state();
        let next = &state.operands[(state.last.get() ^ 1) % 2];
        next[self.number() % THREADS].set(value.into_bits());
    }

    /// The same for lanes, from this thread on.
    #[inline(always)]
    pub fn offer_lanes<T: Exchanged, const N: usize>(&self, values: [T; N]) {
        let state = self.context.scratch.exchanges.state();
        let (next, first) = (&state.operands[(state.last.get() ^ 1) % 2], self.number());
        // The minimum spares the checks.
        let first = first.min(THREADS - N);
        for (cell, value) in next[first..first + N].iter().zip(values) {
            cell.set(value.into_bits());
        }
    }

    /// [`shuffled`](Self::shuffled) for lanes, from this thread on, by the amount that each of them has.
    #[inline(always)]
    pub fn shuffled_lanes<T: Exchanged, const N: usize>(
        &self,
        from: usize,
        tile: u32,
        amount: impl Fn(usize) -> u32,
    ) -> [T; N] {
        let (state, number) = (self.context.scratch.exchanges.state(), self.number());
        let (warp, begin) = (number / LANES, number % LANES);
        if begin + N > LANES || state.there(warp) != u32::MAX {
            return lanes(|lane| self.of_lane(lane).shuffled(from, tile, amount(lane)));
        }
        // All are of one warp, of which none is missing. Where they are all of it, the lanes are constants, and a shuffle by
        // a constant is one of vectors.
        let begin = if N == LANES { 0 } else { begin };
        let cells = state.of_warp(warp);
        let all: [T; LANES] = lanes(|lane| T::of_bits(cells[lane].get()));
        lanes(|lane| {
            let own = (begin + lane) as u32;
            let source = Shuffle::ALL[from].source(tile, own, amount(lane)).unwrap_or(own);
            all[source as usize % LANES]
        })
    }

    /// [`taken`](Self::taken) for lanes, from this thread on.
    #[inline(always)]
    pub fn taken_lanes<T: Exchanged, const N: usize>(&self) -> [T; N] {
        let state = self.context.scratch.exchanges.state();
        // The minimum spares the checks.
        let first = self.number().min(THREADS - N);
        let cells = &state.operands[state.last.get() % 2][first..first + N];
        lanes(|lane| T::of_bits(cells[lane].get()))
    }

    /// The value of another lane of the tile at the last operation, or this lane's where there is none; `from` is the
    /// index of the shuffle in [`Shuffle::ALL`].
    #[inline(always)]
    pub fn shuffled<T: Exchanged>(&self, from: usize, tile: u32, amount: u32) -> T {
        let (state, number, lane) = (self.context.scratch.exchanges.state(), self.number(), self.lane());
        let there = state.there(number / LANES);
        let source = Shuffle::ALL[from].source(tile, lane, amount);
        let source = source.filter(|source| there >> source & 1 == 1).unwrap_or(lane);
        T::of_bits(state.last(number / LANES * LANES + source as usize).get())
    }

    /// The result of the block's last reduction for this thread; see [`Threads::reduce`](super::Threads::reduce).
    #[inline(always)]
    pub fn taken<T: Exchanged>(&self) -> T {
        T::of_bits(self.context.scratch.exchanges.state().last(self.number()).get())
    }

    /// The active lanes of the tile that passed `true`.
    #[inline(always)]
    pub fn balloted(&self, tile: u32) -> u32 {
        let (state, warp) = (self.context.scratch.exchanges.state(), self.number() / LANES);
        let known = &state.votes[warp % (THREADS / LANES)];
        let votes = known.get().unwrap_or_else(|| {
            let votes = state.lanes_of_warp(warp, |bits| bits != 0) & state.there(warp);
            known.set(Some(votes));
            votes
        });
        self.of_tile(votes, tile)
    }

    /// [`balloted`](Self::balloted) for lanes, from this thread on.
    #[inline(always)]
    pub fn balloted_lanes<const N: usize>(&self, tile: u32) -> [u32; N] {
        if tile as usize == LANES && self.number() % LANES + N <= LANES {
            return [self.balloted(tile); N];
        }
        lanes(|lane| self.of_lane(lane).balloted(tile))
    }

    /// The active lanes of the tile that passed the same value.
    #[inline(always)]
    pub fn matched(&self, tile: u32) -> u32 {
        let (state, number) = (self.context.scratch.exchanges.state(), self.number());
        let own = state.last(number).get();
        let same = state.lanes_of_warp(number / LANES, |bits| bits == own);
        self.of_tile(same & state.there(number / LANES), tile)
    }

    /// Lanes of this thread's warp as lanes of its tile.
    #[inline(always)]
    fn of_tile(&self, lanes: u32, tile: u32) -> u32 {
        in_tile(lanes, self.lane(), tile)
    }
}
