//! Scans of a whole array in a single pass.

use super::look_back::{self, announce, claim, look_back};
use crate::value::Value;
use vyre::prelude::*;

/// The threads of a block that sums values.
#[vyre::device]
const THREADS: usize = 256;

/// The elements of a thread, for values of 32 bits and of 64 bits.
#[vyre::device]
const EACH_OF_32: usize = 25;
#[vyre::device]
const EACH_OF_64: usize = 11;

/// Those in [`scan_tile`].
#[vyre::device]
const TILE_EACH: usize = 16;

/// The elements of a tile of [`scan_tile`] with padding.
#[vyre::device]
const TILE_PADDED: usize = THREADS * TILE_EACH + THREADS / 2;

/// The elements that [`scan_tile`] takes: each thread of a block of 256 has 16 of them.
#[vyre::device]
pub const SCAN_TILE: usize = THREADS * TILE_EACH;

/// The threads of a launch that sums so many elements.
pub fn threads<T: Value>(length: usize) -> usize {
    tiles::<T>(length) * THREADS
}

/// The words of the state of such a launch.
pub fn words<T: Value>(length: usize) -> usize {
    look_back::words::<T>(tiles::<T>(length))
}

fn tiles<T: Value>(length: usize) -> usize {
    let each = if T::WORDS == 1 { EACH_OF_32 } else { EACH_OF_64 };
    length.div_ceil(THREADS * each)
}

/// The place of an element of a warp in shared memory, where threads that read `each` consecutive elements meet no bank
/// conflicts: without padding for an odd number, else with an element of it for two threads. An even `each` is a multiple
/// of 16, so that the place of an element 32 further is that of the element and of 32 `k` together.
#[vyre::device]
fn padded(at: usize, each: usize) -> usize {
    if each % 2 == 1 { at } else { at + at / (2 * each) }
}

/// The elements of a thread, 32 apart from `first` on, so that the loads of a warp are coalesced, of a tile up to `end`;
/// `nothing` beyond the length.
#[vyre::device]
pub fn load_each<T: Copy, const EACH: usize>(
    length: usize,
    end: usize,
    first: usize,
    nothing: T,
    load: impl Fn(usize) -> T,
) -> [T; EACH] {
    let mut loaded = [nothing; EACH];
    if end <= length {
        for k in 0..EACH {
            loaded[k] = load(first + k * 32);
        }
    } else {
        for k in 0..EACH {
            if first + k * 32 < length {
                loaded[k] = load(first + k * 32);
            }
        }
    }
    loaded
}

/// [`scan_tile`] with so many threads, and so many elements of each.
#[vyre::device]
pub fn scan_each<T: Value, const THREADS: usize, const EACH: usize, const PADDED: usize>(
    length: usize,
    initial: T,
    exclusive: bool,
    state: &[AtomicU64],
    load: impl Fn(usize) -> T,
    mut store: impl FnMut(usize, T),
    combine: impl Fn(T, T) -> T + Copy,
) {
    let staged = shared::<[T; PADDED]>();
    let sums = shared::<[T; THREADS]>();
    let (t, l) = (thread::idx().x, lane::index());
    let tile = claim(state);
    let is_full = (tile + 1) * (THREADS * EACH) <= length;
    // The elements of a warp are adjacent, and staged in a part of shared memory that is its own.
    let first = tile * (THREADS * EACH) + t / 32 * (32 * EACH) + l;
    let warp_start = t / 32 * (PADDED / (THREADS / 32));
    let (across, along) = (warp_start + padded(l, EACH), warp_start + padded(l * EACH, EACH));

    // Coalesced loads; then each thread takes consecutive elements.
    let loaded = load_each::<T, EACH>(length, (tile + 1) * (THREADS * EACH), first, initial, load);
    for k in 0..EACH {
        staged[across + padded(k * 32, EACH)] = loaded[k];
    }
    warp::sync();
    let mut own = staged[along];
    for k in 1..EACH {
        own = combine(own, staged[along + k]);
    }
    sums[t] = block::inclusive_scan(own, combine);
    block::sync();

    let total = sums[THREADS - 1];
    if t == 0 {
        announce(state, T::WORDS, tile, total);
    }
    // The elements stay in shared memory meanwhile, so that the registers suffice for as many threads as there can be.
    let mut before = look_back(state, T::WORDS, tile, initial, total, combine);
    if t > 0 {
        before = combine(before, sums[t - 1]);
    }
    own = staged[along];
    let mut upto = combine(before, own);
    staged[along] = if exclusive { before } else { upto };
    for k in 1..EACH {
        own = combine(own, staged[along + k]);
        let last = upto;
        upto = combine(before, own);
        staged[along + k] = if exclusive { last } else { upto };
    }
    warp::sync();
    if is_full {
        for k in 0..EACH {
            store(first + k * 32, staged[across + padded(k * 32, EACH)]);
        }
    } else {
        for k in 0..EACH {
            if first + k * 32 < length {
                store(first + k * 32, staged[across + padded(k * 32, EACH)]);
            }
        }
    }
}

/// Scans an array by a function, in a single pass: `store(i, value)` gets the result of each index below `length`.
///
/// For kernels of one axis with `block = 256`, launched with a block for each [`SCAN_TILE`] elements. `load` gives the
/// value of an index, `combine` is associative, and the result begins with `initial`: it is `initial` and the values up
/// to `i`, or if `exclusive` those before `i`, combined in this order. `state` has [`scan_state`] words that are 0.
///
/// ```
/// use vyre::prelude::*;
/// use vyre_primitives::{SCAN_TILE, scan_state, scan_tile};
///
/// /// y[i] := the greatest value of x up to i
/// #[vyre::kernel(block = 256, allow(races))] // each index is of one thread, by the tile that its block claims
/// fn records(x: &[f32], y: &mut [f32], state: &[AtomicU64]) {
///     scan_tile(x.len(), f32::NEG_INFINITY, false, state, |i| x[i], |i, most| y[i] = most, |a, b| a.max(b));
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x = device.upload(&[2.0, 1.0, 5.0, 3.0])?;
/// let (mut y, mut state) = (device.zeros(4)?, device.zeros(scan_state::<f32>(4))?);
/// records(&x, &mut y, &mut state).grid(4usize.div_ceil(SCAN_TILE) as u32).launch(&device)?;
/// assert_eq!(y.download()?, [2.0, 2.0, 5.0, 5.0]);
/// # Ok(())
/// # }
/// ```
#[vyre::device]
pub fn scan_tile<T: Value>(
    length: usize,
    initial: T,
    exclusive: bool,
    state: &[AtomicU64],
    load: impl Fn(usize) -> T,
    store: impl FnMut(usize, T),
    combine: impl Fn(T, T) -> T + Copy,
) {
    scan_each::<T, THREADS, TILE_EACH, TILE_PADDED>(length, initial, exclusive, state, load, store, combine);
}

/// The number of words that [`scan_tile`] needs for so many values of type `T`, and
/// [`select_tile`](crate::select_tile) for `u64`, its counts.
///
/// ```
/// use vyre_primitives::{SCAN_TILE, scan_state};
///
/// assert_eq!(scan_state::<f32>(SCAN_TILE), 2);
/// assert_eq!(scan_state::<u64>(SCAN_TILE + 1), 5);
/// ```
pub fn scan_state<T: Value>(length: usize) -> usize {
    look_back::words::<T>(length.div_ceil(SCAN_TILE))
}

/// The sums of values of 32 bits. Those of signed numbers have the same bits as those of unsigned ones.
// Races: blocks take their tiles by tickets, and publish sums by atomics that others wait for.
#[vyre::kernel(block = 256, T = [u32, f32], allow(races))]
pub fn scan_of_32<T: Value>(x: &[T], y: &mut [T], initial: T, exclusive: bool, state: &[AtomicU64]) {
    scan_each::<T, THREADS, EACH_OF_32, { THREADS * EACH_OF_32 }>(
        x.len(),
        initial,
        exclusive,
        state,
        // SAFETY: the index is below the length.
        |i| unsafe { *x.get_unchecked(i) },
        // SAFETY: as above; both slices have the same length, and each index has one thread.
        |i, sum| unsafe { *y.get_unchecked_mut(i) = sum },
        |a, b| a + b,
    );
}

/// The sums of values of 64 bits.
// Races: blocks take their tiles by tickets, and publish sums by atomics that others wait for.
#[vyre::kernel(block = 256, T = [u64, f64], allow(races))]
pub fn scan_of_64<T: Value>(x: &[T], y: &mut [T], initial: T, exclusive: bool, state: &[AtomicU64]) {
    scan_each::<T, THREADS, EACH_OF_64, { THREADS * EACH_OF_64 }>(
        x.len(),
        initial,
        exclusive,
        state,
        // SAFETY: the index is below the length.
        |i| unsafe { *x.get_unchecked(i) },
        // SAFETY: as above; both slices have the same length, and each index has one thread.
        |i, sum| unsafe { *y.get_unchecked_mut(i) = sum },
        |a, b| a + b,
    );
}
