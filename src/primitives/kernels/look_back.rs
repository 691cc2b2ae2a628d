//! A running value across the blocks of a launch, by decoupled look-back.
//!
//! Blocks claim tiles in the order in which they start, so that a block waits only for running blocks. Tiles form
//! groups of 32. A block publishes the value of its tile, and combines those of the tiles before it in its group, each
//! read by one lane. The last block of a group publishes the value of the group, and later that of all groups up to it.
//! Each block looks back over the values of up to 32 groups, to the nearest one that knows the value of all up to it. A
//! published value lies in words of 64 bits, each with 32 of its bits and a state, so that it is read without a fence:
//! the words of a value are complete if all have the same state.
//!
//! The value before a group is always the left fold over the groups before it, wherever the look-back ends, and that of
//! tiles of a group is a scan by a warp. Therefore sums of floats have the same bits in every run.

use super::super::value::Value;
use vyre::prelude::*;

/// The states of a published value, in the upper half of its words; 0 is none.
#[vyre_macros::device]
const OWN: u64 = 1;
#[vyre_macros::device]
const WHOLE: u64 = 2;

/// The tiles of a group, and the groups that a look-back sees: one for each lane.
#[vyre_macros::device]
const GROUP: usize = 32;

/// The words that the state of so many tiles has: a counter, and values of all tiles and of complete groups.
pub fn words<T: Value>(tiles: usize) -> usize {
    1 + (tiles + tiles / GROUP) * T::WORDS
}

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

/// The place of the value of a tile. That of a group follows those of its tiles.
#[vyre_macros::device]
fn place_of(tile: usize) -> usize {
    tile + tile / GROUP
}

#[vyre_macros::device]
fn publish<T: Value>(state: &[AtomicU64], place: usize, stage: u64, value: T) {
    let bits = value.to_word();
    for half in 0..T::WORDS {
        let word = stage << 32 | (bits >> (32 * half as u32) & 0xffff_ffff);
        state[1 + place * T::WORDS + half].store(word, Ordering::Relaxed);
    }
}

/// The stage and the value of a place, stage 0 if the value is not complete.
#[vyre_macros::device]
fn published<T: Value>(state: &[AtomicU64], place: usize) -> (u64, T) {
    let low = state[1 + place * T::WORDS].load(Ordering::Relaxed);
    if T::WORDS == 1 {
        (low >> 32, T::from_word(low & 0xffff_ffff))
    } else {
        let high = state[2 + place * T::WORDS].load(Ordering::Relaxed);
        let stage = if low >> 32 == high >> 32 { low >> 32 } else { 0 };
        (stage, T::from_word(low & 0xffff_ffff | high << 32))
    }
}

/// A step of the scan of a warp: the value with that of the lane `distance` below, if there is one.
#[vyre_macros::device]
fn join_below<T: Value>(value: T, distance: usize, combine: impl Fn(T, T) -> T + Copy) -> T {
    let below = warp::shuffle_up(value, distance);
    if lane::index() >= distance {
        combine(below, value)
    } else {
        value
    }
}

/// The value before a tile: `initial`, the groups before that of the tile, and the tiles before it in its group,
/// combined in this order. The first warp of the block calls it, with the value of the tile.
#[vyre_macros::device]
pub fn look_back<T: Value>(
    state: &[AtomicU64],
    tile: usize,
    initial: T,
    total: T,
    combine: impl Fn(T, T) -> T + Copy,
) -> T {
    let (group, own, l) = (tile / GROUP, tile % GROUP, lane::index());
    if l == 0 {
        publish(state, place_of(tile), OWN, total);
    }
    // Lane `l` has tile `l` of the group, and the group `32 - l` before it: both are read before either is waited for.
    let near_place = place_of(group * GROUP + l);
    let mut near = (OWN, total);
    if l < own {
        near = published::<T>(state, near_place);
    }
    let has_group = group + l >= GROUP;
    let mut group_place = 0;
    let mut far = (if group + l == GROUP - 1 { WHOLE } else { 0 }, initial);
    if has_group {
        group_place = place_of((group + l - GROUP) * GROUP + GROUP - 1) + 1;
        far = published::<T>(state, group_place);
    }
    while near.0 == 0 {
        near = published::<T>(state, near_place);
    }
    let upto = join_below(near.1, 1, combine);
    let upto = join_below(upto, 2, combine);
    let upto = join_below(upto, 4, combine);
    let upto = join_below(upto, 8, combine);
    let upto = join_below(upto, 16, combine);
    // The last tile of a group.
    let is_last = own == GROUP - 1 && l == GROUP - 1;
    if is_last {
        publish(state, place_of(tile) + 1, OWN, upto);
    }

    while has_group && far.0 == 0 {
        far = published::<T>(state, group_place);
    }
    if warp::ballot(far.0 == WHOLE) == 0 && l == 0 {
        // No group has it yet; the first one that is seen will.
        while far.0 < WHOLE {
            far = published::<T>(state, group_place);
        }
    }
    let nearest = 31 - warp::ballot(far.0 == WHOLE).leading_zeros() as usize;
    let mut before = warp::shuffle(far.1, nearest);
    for k in nearest + 1..GROUP {
        before = combine(before, warp::shuffle(far.1, k));
    }
    if is_last {
        publish(state, place_of(tile) + 1, WHOLE, combine(before, upto));
    }
    if own == 0 {
        before
    } else {
        combine(before, warp::shuffle(upto, own - 1))
    }
}
