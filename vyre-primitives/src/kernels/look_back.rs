//! A running value across the blocks of a launch, by decoupled look-back.
//!
//! Blocks claim tiles in the order in which they start, so that a block waits only for running blocks. Tiles form
//! groups of 32. A block publishes the value of its tile, and combines those of the tiles before it in its group, each
//! read by one lane. The last block of a group publishes the value of the group, and later that of all groups up to it.
//! Each block looks back over the values of up to 32 groups, to the nearest one that knows the value of all up to it. A
//! published value lies in one or two words of 64 bits, each with bits of the value and a stage above them, so that it is
//! read without a fence: two words are complete if both have the same stage.
//!
//! A block may have several tiles, and claim the next one while it waits for the value before its own: it handles them in
//! the order of its claims, so the first tile without a value is always in the hands of a block that waits for nothing.
//!
//! The value before a group is always the left fold over the groups before it, wherever the look-back ends, and that of
//! tiles of a group is a scan by a warp. Therefore sums of floats have the same bits in every run.

use crate::value::Value;
use vyre::prelude::*;

/// The stages of a published value, in the upper two bits of its words; 0 is none.
#[vyre::device]
const OWN: u64 = 1;
#[vyre::device]
const WHOLE: u64 = 2;
#[vyre::device]
const STAGE: u32 = 62;

/// The tiles of a group, and the groups whose published values a look-back sees: one for each lane.
#[vyre::device]
const GROUP: usize = 32;

/// The groups whose tiles a look-back sees: that of its own tile and those before it, one for each warp.
#[vyre::device]
const NEAR: usize = 7;

/// The words that the state of so many tiles has: a counter, and values of all tiles and of complete groups.
pub fn words<T: Value>(tiles: usize) -> usize {
    1 + (tiles + tiles / GROUP) * T::WORDS
}

/// The blocks of a launch for so many tiles: as many as can be resident, since a block takes one tile after another.
pub fn blocks(tiles: usize, multiprocessors: u32) -> u32 {
    tiles.min(8 * multiprocessors as usize) as u32
}

/// Claims the next tile: the result in each thread of the block, which has claimed none yet.
///
/// `state` begins as zeros. Its first word counts the claimed tiles.
#[vyre::device]
pub fn claim(state: &[AtomicU64]) -> usize {
    let claimed = shared::<[usize; 1]>();
    if thread::idx().x == 0 {
        claimed[0] = claim_alone(state);
    }
    block::sync();
    claimed[0]
}

/// Claims the next tile for one thread, which tells the others.
#[vyre::device]
pub fn claim_alone(state: &[AtomicU64]) -> usize {
    state[0].fetch_add(1, Ordering::Relaxed) as usize
}

/// The place of the value of a tile. That of a group follows those of its tiles.
#[vyre::device]
fn place_of(tile: usize) -> usize {
    tile + tile / GROUP
}

/// Publishes a value in so many words; in one, if it lies below 2^62.
#[vyre::device]
fn publish<T: Value>(state: &[AtomicU64], words: usize, place: usize, stage: u64, value: T) {
    let bits = value.to_word();
    if words == 1 {
        state[1 + place].store(stage << STAGE | bits, Ordering::Relaxed);
    } else {
        state[1 + place * 2].store(stage << STAGE | bits & 0xffff_ffff, Ordering::Relaxed);
        state[2 + place * 2].store(stage << STAGE | bits >> 32, Ordering::Relaxed);
    }
}

/// The stage and the value of a place, stage 0 if the value is not complete.
#[vyre::device]
fn published<T: Value>(state: &[AtomicU64], words: usize, place: usize) -> (u64, T) {
    if words == 1 {
        let word = state[1 + place].load(Ordering::Relaxed);
        (word >> STAGE, T::from_word(word & ((1 << STAGE) - 1)))
    } else {
        let low = state[1 + place * 2].load(Ordering::Relaxed);
        let high = state[2 + place * 2].load(Ordering::Relaxed);
        let stage = if low >> STAGE == high >> STAGE { low >> STAGE } else { 0 };
        (stage, T::from_word(low & 0xffff_ffff | high << 32))
    }
}

/// Publishes the value of a tile, for which later tiles wait. One thread calls it.
#[vyre::device]
pub fn announce<T: Value>(state: &[AtomicU64], words: usize, tile: usize, total: T) {
    publish(state, words, place_of(tile), OWN, total);
}

/// A step of the scan of a warp: the value with that of the lane `distance` below, if there is one.
#[vyre::device]
fn join_below<T: Value>(value: T, distance: usize, combine: impl Fn(T, T) -> T + Copy) -> T {
    let below = warp::shuffle_up(value, distance);
    if lane::index() >= distance {
        combine(below, value)
    } else {
        value
    }
}

/// The value before a tile: `initial`, the groups before that of the tile, and the tiles before it in its group,
/// combined in this order. All threads of the block, 256 at least, call it with the value of the tile, which one of them
/// has announced in so many words, and each gets the result.
#[vyre::device]
pub fn look_back<T: Value>(
    state: &[AtomicU64],
    words: usize,
    tile: usize,
    initial: T,
    total: T,
    combine: impl Fn(T, T) -> T + Copy,
) -> T {
    let near_groups = shared::<[T; NEAR]>();
    let far_groups = shared::<[T; 1]>();
    let in_group = shared::<[T; 1]>();
    let (t, l) = (thread::idx().x, lane::index());
    let (w, group, own) = (t / 32, tile / GROUP, tile % GROUP);
    let reach = group.min(NEAR - 1);
    if w <= reach {
        // Warp `w` has the group `w` before that of the tile, a lane for each tile.
        let seen = (group - w) * GROUP + l;
        let mut near = (OWN, total);
        if seen < tile {
            near = published::<T>(state, words, place_of(seen));
            while near.0 == 0 {
                near = published::<T>(state, words, place_of(seen));
            }
        }
        let upto = join_below(near.1, 1, combine);
        let upto = join_below(upto, 2, combine);
        let upto = join_below(upto, 4, combine);
        let upto = join_below(upto, 8, combine);
        let upto = join_below(upto, 16, combine);
        if l == GROUP - 1 {
            near_groups[w] = upto;
        }
        if w == 0 && l + 1 == own {
            in_group[0] = upto;
        }
        if w == 0 && l == GROUP - 1 && own == GROUP - 1 {
            publish(state, words, place_of(tile) + 1, OWN, upto);
        }
    }
    if w == NEAR {
        let far = before_group(state, words, group - reach, initial, combine);
        if l == 0 {
            far_groups[0] = far;
        }
    }
    block::sync();
    let mut before = far_groups[0];
    for k in 1..NEAR {
        if NEAR - k <= reach {
            before = combine(before, near_groups[NEAR - k]);
        }
    }
    if own == GROUP - 1 && t == 0 {
        publish(state, words, place_of(tile) + 1, WHOLE, combine(before, near_groups[0]));
    }
    if own > 0 {
        before = combine(before, in_group[0]);
    }
    before
}

/// The value before a group, `initial` and the groups before it combined in this order, for a warp.
#[vyre::device]
fn before_group<T: Value>(
    state: &[AtomicU64],
    words: usize,
    group: usize,
    initial: T,
    combine: impl Fn(T, T) -> T + Copy,
) -> T {
    // Lane `l` has the group `32 - l` before; the lane of the group before the first one has `initial`.
    let l = lane::index();
    let mut place = 0;
    let mut far = (if group + l == GROUP - 1 { WHOLE } else { 0 }, initial);
    if group + l >= GROUP {
        place = place_of((group + l - GROUP) * GROUP + GROUP - 1) + 1;
        while far.0 == 0 {
            far = published::<T>(state, words, place);
        }
    }
    if warp::ballot(far.0 == WHOLE) == 0 && l == 0 {
        // No group has it yet; the first one that is seen will.
        while far.0 < WHOLE {
            far = published::<T>(state, words, place);
        }
    }
    let nearest = 31 - warp::ballot(far.0 == WHOLE).leading_zeros() as usize;
    let mut before = warp::shuffle(far.1, nearest);
    for k in nearest + 1..GROUP {
        before = combine(before, warp::shuffle(far.1, k));
    }
    before
}
