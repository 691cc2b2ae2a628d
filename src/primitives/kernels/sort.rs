//! Radix sort from the lowest digit, eight bits at a time, each digit in a single pass.
//!
//! One kernel counts all digits of all keys. A pass for a digit then reads and writes each key once: a block ranks the
//! keys of its tile by their digit, and finds out by look-back, a thread for each digit, how many of the digit the tiles
//! before it have.

use super::super::value::Value;
use vyre::prelude::*;

/// The values of a digit, and the threads of a block, of which each has one.
#[vyre_macros::device]
pub const DIGITS: usize = 256;

/// The warps of a block.
#[vyre_macros::device]
const WARPS: usize = DIGITS / 32;

/// The elements of a tile if keys and values have 32 bits, and if some have 64.
pub const TILE_OF_32: usize = DIGITS * 16;
pub const TILE_OF_64: usize = DIGITS * 8;

/// The stages of a published count, in the upper bits of its word: that of the tile, and that of all up to it. A launch
/// has fewer than 2^30 keys, so that a count has room below them.
#[vyre_macros::device]
const OWN: u32 = 1 << 30;
#[vyre_macros::device]
const WHOLE: u32 = 2 << 30;

pub use keys::Key;

/// Keys are the bits of numbers; the XOR with one of two masks, by the highest bit, makes an unsigned number of the same
/// order.
#[vyre_macros::device]
mod keys {
    use super::super::super::value::Value;
    use vyre::Integer;

    /// The bits of a number.
    pub trait Key: Value + Integer {
        /// Eight bits from `shift` on of the number that has the order.
        fn digit(self, shift: u32, negative: Self, positive: Self) -> u32;
    }

    impl Key for u32 {
        fn digit(self, shift: u32, negative: u32, positive: u32) -> u32 {
            let mask = if self >> 31 != 0 { negative } else { positive };
            (self ^ mask) >> shift & 255
        }
    }

    impl Key for u64 {
        fn digit(self, shift: u32, negative: u64, positive: u64) -> u32 {
            let mask = if self >> 63 != 0 { negative } else { positive };
            ((self ^ mask) >> shift) as u32 & 255
        }
    }
}

/// Adds the number of keys with each value of each digit to `counts`, where the values of a digit are adjacent.
#[vyre_macros::device]
fn count<K: Key>(keys: &[K], negative: K, positive: K, local: &[AtomicU32], counts: &[AtomicU64]) {
    let t = thread::idx().x;
    for place in (t..local.len()).step_by(DIGITS) {
        local[place].store(0, Ordering::Relaxed);
    }
    block::sync();
    for i in (thread::index()..keys.len()).step_by(grid::dim().x * DIGITS) {
        let key = keys[i];
        for place in 0..local.len() / DIGITS {
            let digit = key.digit(8 * place as u32, negative, positive) as usize;
            local[place * DIGITS + digit].fetch_add(1, Ordering::Relaxed);
        }
    }
    block::sync();
    for place in (t..local.len()).step_by(DIGITS) {
        let count = local[place].load(Ordering::Relaxed);
        if count > 0 {
            counts[place].fetch_add(count as u64, Ordering::Relaxed);
        }
    }
}

/// Counts the digits of keys of 32 bits.
#[vyre_macros::kernel(block = 256)]
pub fn count_32(keys: &[u32], negative: u32, positive: u32, counts: &[AtomicU64]) {
    let local = shared::<[AtomicU32; 4 * DIGITS]>();
    count(keys, negative, positive, local, counts);
}

/// Counts the digits of keys of 64 bits.
#[vyre_macros::kernel(block = 256)]
pub fn count_64(keys: &[u64], negative: u64, positive: u64, counts: &[AtomicU64]) {
    let local = shared::<[AtomicU32; 8 * DIGITS]>();
    count(keys, negative, positive, local, counts);
}

/// The number of keys with a smaller digit, from the counts: one block for each digit.
#[vyre_macros::kernel(block = 256)]
pub fn first_places(counts: &mut [u64]) {
    let i = thread::index();
    let before = block::exclusive_sum(counts[i]);
    counts[i] = before;
}

/// Sorts a launch's keys by one digit into `to`, where the keys with digit `d` begin at `starts[d]`, and writes where the
/// next launch goes on to `next`.
#[vyre_macros::device]
#[allow(clippy::too_many_arguments, reason = "they are those of a launch")]
fn scatter<K: Key, V: Value, S: Value, const EACH: usize, const TILE: usize>(
    keys: &[K],
    to: &mut [K],
    values: &[V],
    to_values: &mut [V],
    shift: u32,
    negative: K,
    positive: K,
    starts: &[u64],
    next: &mut [u64],
    state: &[AtomicU32],
) {
    let claimed = shared::<[usize; 1]>();
    let staged = shared::<[S; TILE]>();
    let counts = shared::<[[u16; DIGITS]; WARPS]>();
    let offsets = shared::<[u64; DIGITS]>();
    let t = thread::idx().x;
    let (w, l) = (t / 32, lane::index());
    if t == 0 {
        claimed[0] = state[0].fetch_add(1, Ordering::Relaxed) as usize;
    }
    for digit in (l..DIGITS).step_by(32) {
        counts[w][digit] = 0;
    }
    block::sync();
    let tile = claimed[0];
    let start = tile * TILE;
    let present = (keys.len() - start).min(TILE);

    // The keys of a warp are adjacent. What is beyond the last key has its greatest digit, and comes behind the keys.
    let first = w * (32 * EACH) + l;
    let mut key = [K::ZERO; EACH];
    for k in 0..EACH {
        if first + k * 32 < present {
            // SAFETY: the tile lies within the keys, as far as they are present.
            key[k] = unsafe { *keys.get_unchecked(start + first + k * 32) };
        }
    }
    // The rank of a key among those of its digit in its warp.
    let mut rank = [0u32; EACH];
    for k in 0..EACH {
        let digit = if first + k * 32 < present {
            key[k].digit(shift, negative, positive)
        } else {
            255
        };
        let same = warp::match_any(digit);
        let below = (same & ((1 << l) - 1)).count_ones();
        let before = counts[w][digit as usize] as u32;
        rank[k] = before + below;
        warp::sync();
        if below == 0 {
            counts[w][digit as usize] = (before + same.count_ones()) as u16;
        }
        warp::sync();
    }
    block::sync();

    // Each thread has a digit: the keys in the warps before, and in the tile.
    let mut total = 0u32;
    for warp in 0..WARPS {
        let count = counts[warp][t] as u32;
        counts[warp][t] = total as u16;
        total += count;
    }
    let stage = if tile == 0 { WHOLE } else { OWN };
    state[1 + tile * DIGITS + t].store(stage | total, Ordering::Relaxed);
    let local = block::exclusive_sum(total);
    let mut before = 0u32;
    let mut at = tile;
    while at > 0 {
        at -= 1;
        let mut word = state[1 + at * DIGITS + t].load(Ordering::Relaxed);
        while word < OWN {
            word = state[1 + at * DIGITS + t].load(Ordering::Relaxed);
        }
        before += word & (OWN - 1);
        if word >= WHOLE {
            break;
        }
    }
    if tile > 0 {
        state[1 + tile * DIGITS + t].store(WHOLE | (before + total), Ordering::Relaxed);
    }
    let place = starts[t] + before as u64;
    if start + TILE >= keys.len() {
        next[t] = place + total as u64;
    }
    // The place of the first key of the digit, less that in the tile.
    offsets[t] = place - local as u64;
    for warp in 0..WARPS {
        counts[warp][t] += local as u16;
    }
    block::sync();

    for k in 0..EACH {
        let digit = if first + k * 32 < present {
            key[k].digit(shift, negative, positive)
        } else {
            255
        };
        rank[k] += counts[w][digit as usize] as u32;
        staged[rank[k] as usize] = S::from_word(key[k].to_word());
    }
    block::sync();
    // The digits of the staged keys, four in a word: places would take as many registers as keys.
    let mut digits = [0u32; EACH];
    for k in 0..EACH {
        let staged_key: K = K::from_word(staged[k * DIGITS + t].to_word());
        let digit = staged_key.digit(shift, negative, positive);
        digits[k / 4] |= digit << (k as u32 % 4 * 8);
        if k * DIGITS + t < present {
            let place = offsets[digit as usize] as usize + k * DIGITS + t;
            // SAFETY: the places count the keys that come before, so they are a permutation.
            unsafe { *to.get_unchecked_mut(place) = staged_key };
        }
    }
    if !values.is_empty() {
        block::sync();
        for k in 0..EACH {
            if first + k * 32 < present {
                // SAFETY: there are as many values as keys.
                let value = unsafe { *values.get_unchecked(start + first + k * 32) };
                staged[rank[k] as usize] = S::from_word(value.to_word());
            }
        }
        block::sync();
        for k in 0..EACH {
            if k * DIGITS + t < present {
                let digit = digits[k / 4] >> (k as u32 % 4 * 8) & 255;
                let place = offsets[digit as usize] as usize + k * DIGITS + t;
                // SAFETY: as for the keys.
                unsafe { *to_values.get_unchecked_mut(place) = V::from_word(staged[k * DIGITS + t].to_word()) };
            }
        }
    }
}

macro_rules! passes {
    ($($name:ident: $key:ident, $value:ident, $staged:ident, $each:literal, $tile:literal;)*) => { $(
        /// Sorts by a digit.
        #[vyre_macros::kernel(block = 256)]
        #[allow(clippy::too_many_arguments, reason = "they are those of a launch")]
        pub fn $name(
            keys: &[$key],
            to: &mut [$key],
            values: &[$value],
            to_values: &mut [$value],
            shift: u32,
            negative: $key,
            positive: $key,
            starts: &[u64],
            next: &mut [u64],
            state: &[AtomicU32],
        ) {
            scatter::<$key, $value, $staged, $each, $tile>(
                keys, to, values, to_values, shift, negative, positive, starts, next, state,
            );
        }
    )* };
}

passes! {
    scatter_32_32: u32, u32, u32, 16, 4096;
    scatter_32_64: u32, u64, u64, 8, 2048;
    scatter_64_32: u64, u32, u64, 8, 2048;
    scatter_64_64: u64, u64, u64, 8, 2048;
}
