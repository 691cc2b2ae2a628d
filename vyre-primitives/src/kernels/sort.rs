//! Radix sort from the lowest digit, eight bits at a time, each digit in a single pass.
//!
//! One kernel counts all digits of all keys. A pass for a digit then reads and writes each key once: a block ranks the
//! keys of its tile by their digit, and finds out by look-back, a thread for each digit, how many of the digit the tiles
//! before it have (Adinets and Merrill, "Onesweep", 2022).

use crate::value::Value;
use vyre::prelude::*;

/// The values of a digit.
#[vyre::device]
pub const DIGITS: usize = 256;

/// The threads of a block that counts; each has a digit in the end.
#[vyre::device]
const COUNTERS: usize = DIGITS;

/// The warps and the threads of a block that sorts a tile.
#[vyre::device]
const WARPS: usize = 16;
#[vyre::device]
const THREADS: usize = 32 * WARPS;

/// The elements of a tile if keys and values have 32 bits, and if some have 64.
pub const TILE_OF_32: usize = THREADS * 16;
pub const TILE_OF_64: usize = THREADS * 8;

/// The threads of a launch that sorts so many keys in tiles of this size.
pub fn threads(keys: usize, tile: usize) -> usize {
    keys.div_ceil(tile) * THREADS
}

/// The stages of a published count, in the upper bits of its word: that of the tile, and that of all up to it. A launch
/// has fewer than 2^30 keys, so that a count has room below them.
#[vyre::device]
const OWN: u32 = 1 << 30;
#[vyre::device]
const WHOLE: u32 = 2 << 30;

pub use keys::Key;

/// Keys are the bits of numbers; the XOR with one of two masks, by the highest bit, makes an unsigned number of the same
/// order.
#[vyre::device]
mod keys {
    use crate::value::Value;
    use vyre::Integer;

    /// The bits of a number.
    pub trait Key: Value + Integer {
        /// True if the highest bit is set.
        fn is_high(self) -> bool;
        /// Eight bits from `shift` on.
        fn digit(self, shift: u32) -> u32;
        /// True for the bits of infinity, and false for all bits but the highest one: the limit of keys without NaNs.
        fn admits_nans(self) -> bool;
        /// The key, and for every NaN the same, which is positive. The magnitude of a NaN exceeds `infinity`.
        fn canonical(self, infinity: Self) -> Self;
    }

    impl Key for u32 {
        fn is_high(self) -> bool {
            self >> 31 != 0
        }

        fn digit(self, shift: u32) -> u32 {
            self >> shift & 255
        }

        fn admits_nans(self) -> bool {
            self != u32::MAX >> 1
        }

        fn canonical(self, infinity: u32) -> u32 {
            let most = u32::MAX >> 1;
            if self & most > infinity { most } else { self }
        }
    }

    impl Key for u64 {
        fn is_high(self) -> bool {
            self >> 63 != 0
        }

        fn digit(self, shift: u32) -> u32 {
            (self >> shift) as u32 & 255
        }

        fn admits_nans(self) -> bool {
            self != u64::MAX >> 1
        }

        fn canonical(self, infinity: u64) -> u64 {
            let most = u64::MAX >> 1;
            if self & most > infinity { most } else { self }
        }
    }
}

/// The XOR with the first mask if the highest bit is set, otherwise with the second.
#[vyre::device]
fn masked<K: Key>(key: K, masks: [K; 2]) -> K {
    key ^ if key.is_high() { masks[0] } else { masks[1] }
}

/// The masks that give the keys back. The highest bits of both masks are equal.
#[vyre::device]
fn inverse<K: Key>(masks: [K; 2]) -> [K; 2] {
    if masks[0].is_high() {
        [masks[1], masks[0]]
    } else {
        masks
    }
}

/// Adds the number of keys with each value of each digit to `counts`, where the values of a digit are adjacent.
#[vyre::device]
fn count<K: Key>(keys: &[K], infinity: K, masks: [K; 2], local: &[AtomicU32], counts: &[AtomicU64]) {
    // Loads in flight at the same time.
    const WIDTH: usize = 8;
    let t = thread::idx().x;
    for place in (t..local.len()).step_by(COUNTERS) {
        local[place].store(0, Ordering::Relaxed);
    }
    block::sync();
    let add = |key: K| {
        let number = masked(key.canonical(infinity), masks);
        for place in 0..local.len() / DIGITS {
            let digit = number.digit(8 * place as u32) as usize;
            local[place * DIGITS + digit].fetch_add(1, Ordering::Relaxed);
        }
    };
    let stride = grid::dim().x * COUNTERS;
    let mut i = thread::index();
    while i + (WIDTH - 1) * stride < keys.len() {
        let mut loaded = [K::ZERO; WIDTH];
        for k in 0..WIDTH {
            // SAFETY: the greatest index is below the length.
            loaded[k] = unsafe { *keys.get_unchecked(i + k * stride) };
        }
        for k in 0..WIDTH {
            add(loaded[k]);
        }
        i += WIDTH * stride;
    }
    while i < keys.len() {
        add(keys[i]);
        i += stride;
    }
    block::sync();
    for place in (t..local.len()).step_by(COUNTERS) {
        let count = local[place].load(Ordering::Relaxed);
        if count > 0 {
            counts[place].fetch_add(count as u64, Ordering::Relaxed);
        }
    }
}

/// Counts the digits of keys of 32 bits.
#[vyre::kernel(block = 256)]
pub fn count_32(keys: &[u32], infinity: u32, negative: u32, positive: u32, counts: &[AtomicU64]) {
    let local = shared::<[AtomicU32; 4 * DIGITS]>();
    count(keys, infinity, [negative, positive], local, counts);
}

/// Counts the digits of keys of 64 bits.
#[vyre::kernel(block = 256)]
pub fn count_64(keys: &[u64], infinity: u64, negative: u64, positive: u64, counts: &[AtomicU64]) {
    let local = shared::<[AtomicU32; 8 * DIGITS]>();
    count(keys, infinity, [negative, positive], local, counts);
}

/// The number of keys with a smaller digit, from the counts: one block for each digit.
#[vyre::kernel(block = 256)]
pub fn first_places(counts: &mut [u64]) {
    let i = thread::index();
    let before = block::exclusive_sum(counts[i]);
    counts[i] = before;
}

/// The lanes whose digit is that of this lane.
#[vyre::device]
fn lanes_with(digit: u32) -> u32 {
    let mut same = u32::MAX;
    for bit in 0..8 {
        let is_set = digit >> bit & 1;
        same &= warp::ballot(is_set != 0) ^ is_set.wrapping_sub(1);
    }
    same
}

/// The number of keys with a digit in the tiles before this one, of which `state` has the counts of that digit at `t`.
#[vyre::device]
fn count_before(state: &[AtomicU32], tile: usize, t: usize) -> u32 {
    // Tiles that are read at the same time.
    const WINDOW: usize = 4;
    let mut before = 0u32;
    let mut left = tile;
    while left > 0 {
        let mut words = [0u32; WINDOW];
        for k in 0..WINDOW {
            if k < left {
                words[k] = state[1 + (left - 1 - k) * DIGITS + t].load(Ordering::Relaxed);
            }
        }
        // Up to the first one that is not published yet, which is read again, or that counts all before it.
        let mut goes_on = true;
        for k in 0..WINDOW {
            if goes_on && words[k] >= OWN {
                before += words[k] & (OWN - 1);
                left -= 1;
                if words[k] >= WHOLE {
                    left = 0;
                    goes_on = false;
                }
            } else {
                goes_on = false;
            }
        }
    }
    before
}

/// Sorts a launch's keys, whose NaNs become one, by one digit into `to`, where the keys with digit `d` begin at `starts[d]`, and writes where the
/// next launch goes on to `next`.
///
/// The counts of a tile are published as soon as they are known, and its keys are in order in shared memory before the
/// block looks back.
#[vyre::device]
#[allow(clippy::too_many_arguments, reason = "they are those of a launch")]
fn scatter<K: Key, V: Value, S: Value, const EACH: usize, const TILE: usize>(
    keys: &[K],
    to: &mut [K],
    values: &[V],
    to_values: &mut [V],
    shift: u32,
    infinity: K,
    masks: [K; 2],
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
    for k in 0..DIGITS / 32 {
        counts[w][k * 32 + l] = 0;
    }
    block::sync();
    let tile = claimed[0];
    let start = tile * TILE;
    let present = (keys.len() - start).min(TILE);
    let is_full = present == TILE;

    // The keys of a warp are adjacent. What is beyond the last key is greater than all, and comes behind the keys.
    let first = w * (32 * EACH) + l;
    let mut number = [K::ZERO; EACH];
    if is_full {
        for k in 0..EACH {
            // SAFETY: the tile lies within the keys.
            number[k] = unsafe { *keys.get_unchecked(start + first + k * 32) };
        }
        if infinity.admits_nans() {
            for k in 0..EACH {
                number[k] = number[k].canonical(infinity);
            }
        }
        for k in 0..EACH {
            number[k] = masked(number[k], masks);
        }
    } else {
        for k in 0..EACH {
            number[k] = !K::ZERO;
            if first + k * 32 < present {
                // SAFETY: the keys of the tile are those that are present.
                let key: K = unsafe { *keys.get_unchecked(start + first + k * 32) };
                number[k] = masked(key.canonical(infinity), masks);
            }
        }
    }
    // The digit of a key, and its rank among those of the digit in its warp: in one word, since both are needed later.
    let mut ranks = [0u32; EACH];
    for k in 0..EACH {
        let digit = number[k].digit(shift);
        let same = lanes_with(digit);
        let below = (same & ((1 << l) - 1)).count_ones();
        let before = counts[w][digit as usize] as u32;
        warp::sync();
        if below == 0 {
            counts[w][digit as usize] = (before + same.count_ones()) as u16;
        }
        warp::sync();
        ranks[k] = digit << 16 | (before + below);
    }
    block::sync();

    // The first threads have a digit each.
    let mut total = 0u32;
    if t < DIGITS {
        for warp in 0..WARPS {
            total += counts[warp][t] as u32;
        }
        let stage = if tile == 0 { WHOLE } else { OWN };
        state[1 + tile * DIGITS + t].store(stage | total, Ordering::Relaxed);
    }
    let local = block::exclusive_sum(total);
    if t < DIGITS {
        // The places of the first keys of the warps in the tile.
        let mut place = local;
        for warp in 0..WARPS {
            let count = counts[warp][t] as u32;
            counts[warp][t] = place as u16;
            place += count;
        }
    }
    block::sync();
    for k in 0..EACH {
        ranks[k] = (ranks[k] & 0xffff) + counts[w][(ranks[k] >> 16) as usize] as u32;
        staged[ranks[k] as usize] = S::from_word(number[k].to_word());
    }

    if t < DIGITS {
        let before = count_before(state, tile, t);
        if tile > 0 {
            state[1 + tile * DIGITS + t].store(WHOLE | (before + total), Ordering::Relaxed);
        }
        let place = starts[t] + before as u64;
        if start + TILE >= keys.len() {
            next[t] = place + total as u64;
        }
        // The place of the first key of the digit, less that in the tile.
        offsets[t] = place - local as u64;
    }
    block::sync();

    // The digits of the staged keys, four in a word: places would take as many registers as keys.
    let mut digits = [0u32; EACH];
    let masks = inverse(masks);
    for k in 0..EACH {
        let number: K = K::from_word(staged[k * THREADS + t].to_word());
        let digit = number.digit(shift);
        digits[k / 4] |= digit << (k as u32 % 4 * 8);
        if is_full || k * THREADS + t < present {
            let place = offsets[digit as usize] as usize + k * THREADS + t;
            // SAFETY: the places count the keys that come before, so they are a permutation.
            unsafe { *to.get_unchecked_mut(place) = masked(number, masks) };
        }
    }
    if !values.is_empty() {
        let mut moved = [V::ZERO; EACH];
        if is_full {
            for k in 0..EACH {
                // SAFETY: there are as many values as keys.
                moved[k] = unsafe { *values.get_unchecked(start + first + k * 32) };
            }
        } else {
            for k in 0..EACH {
                if first + k * 32 < present {
                    // SAFETY: as above.
                    moved[k] = unsafe { *values.get_unchecked(start + first + k * 32) };
                }
            }
        }
        block::sync();
        for k in 0..EACH {
            staged[ranks[k] as usize] = S::from_word(moved[k].to_word());
        }
        block::sync();
        for k in 0..EACH {
            if is_full || k * THREADS + t < present {
                let digit = digits[k / 4] >> (k as u32 % 4 * 8) & 255;
                let place = offsets[digit as usize] as usize + k * THREADS + t;
                // SAFETY: as for the keys.
                unsafe { *to_values.get_unchecked_mut(place) = V::from_word(staged[k * THREADS + t].to_word()) };
            }
        }
    }
}

macro_rules! passes {
    ($($name:ident: $key:ident, $value:ident, $staged:ident, $each:literal, $tile:literal;)*) => { $(
        /// Sorts by a digit.
        // Races: keys go to places that are sums of counts.
        #[vyre::kernel(block = 512, allow(races))]
        #[allow(clippy::too_many_arguments, reason = "they are those of a launch")]
        pub fn $name(
            keys: &[$key],
            to: &mut [$key],
            values: &[$value],
            to_values: &mut [$value],
            shift: u32,
            infinity: $key,
            negative: $key,
            positive: $key,
            starts: &[u64],
            next: &mut [u64],
            state: &[AtomicU32],
        ) {
            scatter::<$key, $value, $staged, $each, $tile>(
                keys, to, values, to_values, shift, infinity, [negative, positive], starts, next, state,
            );
        }
    )* };
}

passes! {
    scatter_32_32: u32, u32, u32, 16, 8192;
    scatter_32_64: u32, u64, u64, 8, 4096;
    scatter_64_32: u64, u32, u64, 8, 4096;
    scatter_64_64: u64, u64, u64, 8, 4096;
}
