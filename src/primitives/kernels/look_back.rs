//! A running value across the blocks of a launch, by decoupled look-back.
//!
//! Blocks claim tiles in the order in which they start, so that a block waits only for running blocks. A block
//! publishes the value of its tile alone, waits for those of the tiles before it, and publishes the value of all tiles
//! up to its own. A published value lies in words of 64 bits, each with 32 of its bits and a state, so that it is read
//! without a fence: the words of a value are complete if all have the same state.
//!
//! The value before a tile is always the left fold over the tiles before it, wherever the look-back ends. Therefore sums
//! of floats have the same bits in every run.

use super::super::value::Value;
use vyre::prelude::*;

/// The states of a published value, in the upper half of its words; 0 is none.
#[vyre_macros::device]
const OWN: u64 = 1;
#[vyre_macros::device]
const WHOLE: u64 = 2;

/// The tiles that a look-back sees: each of 32 lanes reads four.
#[vyre_macros::device]
const WINDOW: usize = 128;

/// Claims the next tile: the result in each thread of the block.
///
/// `state` begins as zeros. Its first word counts the claimed tiles.
#[vyre_macros::device]
pub fn claim(state: &[AtomicU64]) -> usize {
    let claimed = shared::<[usize; 1]>();
    if thread::idx().x == 0 {
        claimed[0] = state[0].fetch_add(1, Ordering::Relaxed) as usize;
    }
    block::sync();
    claimed[0]
}

/// The first word of a tile.
#[vyre_macros::device]
fn word_of<T: Value>(tile: usize) -> usize {
    1 + tile * T::WORDS
}

#[vyre_macros::device]
fn publish<T: Value>(state: &[AtomicU64], tile: usize, stage: u64, value: T) {
    let bits = value.to_word();
    for half in 0..T::WORDS {
        let word = stage << 32 | (bits >> (32 * half as u32) & 0xffff_ffff);
        state[word_of::<T>(tile) + half].store(word, Ordering::Relaxed);
    }
}

/// Waits until a tile has at least this stage, and returns its stage and value.
#[vyre_macros::device]
fn wait_for<T: Value>(state: &[AtomicU64], tile: usize, stage: u64) -> (u64, T) {
    let low = word_of::<T>(tile);
    let high = low + T::WORDS - 1;
    let mut first = state[low].load(Ordering::Relaxed);
    let mut last = state[high].load(Ordering::Relaxed);
    while first >> 32 < stage || first >> 32 != last >> 32 {
        first = state[low].load(Ordering::Relaxed);
        last = state[high].load(Ordering::Relaxed);
    }
    (first >> 32, T::from_word(first & 0xffff_ffff | last << 32))
}

/// The value before a tile: the left fold of `initial` and the totals of the tiles before it. The first warp of the
/// block calls it, with the total of the tile.
#[vyre_macros::device]
pub fn look_back<T: Value>(
    state: &[AtomicU64],
    tile: usize,
    initial: T,
    total: T,
    combine: impl Fn(T, T) -> T + Copy,
) -> T {
    let seen = shared::<[T; WINDOW]>();
    let mut before = initial;
    if tile > 0 {
        if lane::index() == 0 {
            publish(state, tile, OWN, total);
        }
        // One more than the place in the window of the nearest tile with the value of all up to it.
        let mut nearest = 0;
        for part in 0..WINDOW / 32 {
            let place = part * 32 + lane::index();
            let mut stage = 0;
            if tile + place >= WINDOW {
                let (found, value) = wait_for::<T>(state, tile + place - WINDOW, OWN);
                stage = found;
                seen[place] = value;
            }
            let whole = warp::ballot(stage == WHOLE);
            if whole != 0 {
                nearest = part * 32 + 32 - whole.leading_zeros() as usize;
            }
        }
        if nearest == 0 {
            // None has it yet; the first tile of the window will.
            let (_, value) = wait_for::<T>(state, tile - WINDOW, WHOLE);
            seen[0] = value;
            nearest = 1;
        }
        warp::sync();
        before = seen[nearest - 1];
        for place in nearest..WINDOW {
            before = combine(before, seen[place]);
        }
    }
    if lane::index() == 0 {
        publish(state, tile, WHOLE, combine(before, total));
    }
    before
}
