//! Stream compaction in a single pass.

use super::look_back::{self, announce, claim, claim_alone, look_back};
use super::scan::{SCAN_TILE, load_each};
use crate::value::Value;
use vyre::prelude::*;

/// The elements of a thread in [`select_tile`].
#[vyre::device]
const EACH: usize = 8;

/// The warps of a block that compacts tiles, its threads, and the elements of each.
#[vyre::device]
const WARPS: usize = 8;
#[vyre::device]
const THREADS: usize = 32 * WARPS;
#[vyre::device]
const OWN: usize = 16;

/// The elements of a tile of [`compact`]. The state of a launch has room for tiles of [`SCAN_TILE`], the same.
#[vyre::device]
const TILE: usize = THREADS * OWN;

/// The threads of a launch of [`select_tile`] for so many elements.
pub fn threads(length: usize) -> usize {
    length.div_ceil(SCAN_TILE) * 512
}

/// The blocks of a launch that compacts so many elements.
pub fn blocks(length: usize, multiprocessors: u32) -> u32 {
    look_back::blocks(length.div_ceil(TILE), multiprocessors)
}

/// Selects indices below `length`, in their order, in a single pass: `store(place, i)` gets the number of selected
/// indices before `i`, and `i`.
///
/// For kernels of one axis with `block = 512`, launched with a block for each
/// [`SCAN_TILE`](crate::SCAN_TILE) indices. Returns the number of selected indices of all blocks up to this
/// one in each thread, and whether the block has the last tile: there it is that of all. `state` has
/// [`scan_state::<u64>`](crate::scan_state) words that are 0.
///
/// ```
/// use vyre::prelude::*;
/// use vyre_primitives::{SCAN_TILE, scan_state, select_tile};
///
/// /// The places of the values above a limit, and their number.
/// #[vyre::kernel(block = 512, allow(races))] // each place is of one thread, by the counts of the blocks before
/// fn above(x: &[f32], limit: f32, places: &mut [u32], count: &mut [u64], state: &[AtomicU64]) {
///     let (found, last) = select_tile(x.len(), state, |i| x[i] > limit, |place, i| places[place] = i as u32);
///     if last && thread::idx().x == 0 {
///         count[0] = found;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let (device, n) = (Device::best()?, 4usize);
/// let x = device.upload(&[2.0, 1.0, 5.0, 3.0])?;
/// let (mut places, mut count) = (device.zeros(n)?, device.zeros(1)?);
/// let mut state = device.zeros(scan_state::<u64>(n))?;
/// above(&x, 1.5, &mut places, &mut count, &mut state).grid(n.div_ceil(SCAN_TILE) as u32).launch(&device)?;
/// assert_eq!((places.download()?, count.download()?), (vec![0, 2, 3, 0], vec![3]));
/// # Ok(())
/// # }
/// ```
#[vyre::device]
pub fn select_tile(
    length: usize,
    state: &[AtomicU64],
    select: impl Fn(usize) -> bool,
    mut store: impl FnMut(usize, usize),
) -> (u64, bool) {
    let counts = shared::<[u32; EACH * 16]>();
    let t = thread::idx().x;
    let tile = claim(state);
    let start = tile * SCAN_TILE;

    // Bit k is that of the thread's index k. The lanes of a warp have consecutive indices.
    let mut selected = 0u32;
    let mut below = [0u32; EACH];
    for k in 0..EACH {
        let at = start + k * 512 + t;
        let mut is = false;
        if at < length {
            is = select(at);
        }
        let lanes = warp::ballot(is);
        below[k] = (lanes & ((1 << lane::index()) - 1)).count_ones();
        selected |= (is as u32) << k as u32;
        if lane::index() == 0 {
            counts[k * 16 + t / 32] = lanes.count_ones();
        }
    }
    block::sync();
    // The order of the counts is that of the indices.
    let own = if t < EACH * 16 { counts[t] } else { 0 };
    let before = block::exclusive_sum(own);
    let total = block::sum(own);
    if t < EACH * 16 {
        counts[t] = before;
    }
    if t == 0 {
        announce(state, 1, tile, total as u64);
    }
    let before_tile = look_back(state, 1, tile, 0u64, total as u64, |a, b| a + b);
    for k in 0..EACH {
        if selected >> k as u32 & 1 != 0 {
            let place = before_tile + (counts[k * 16 + t / 32] + below[k]) as u64;
            store(place as usize, start + k * 512 + t);
        }
    }
    (before_tile + total as u64, start + SCAN_TILE >= length)
}

/// Selects elements of all tiles, in their order: `store(place, kept)` gets the number of selected elements before one,
/// and `keep(value, i)` of it. Returns the number of all in each thread of the block that has the last tile, and if this is
/// that block.
///
/// Selected are the elements with a flag, or if `RUNS` those that differ from the one before. They are put behind each other
/// in shared memory, so that a block writes adjacent places.
#[vyre::device]
fn compact<T: Value, K: Value, const RUNS: bool>(
    length: usize,
    state: &[AtomicU64],
    load: impl Fn(usize) -> T + Copy,
    flag: impl Fn(usize) -> bool + Copy,
    keep: impl Fn(T, usize) -> K,
    mut store: impl FnMut(usize, K),
) -> (u64, bool) {
    let staged = shared::<[K; TILE]>();
    let counts = shared::<[u32; WARPS]>();
    let next_tile = shared::<[usize; 1]>();
    let (t, w, l) = (thread::idx().x, thread::idx().x / 32, lane::index());
    // The elements of a warp are adjacent.
    let in_tile = w * (32 * OWN) + l;
    let below = (1u32 << l as u32) - 1;

    let mut tile = claim(state);
    let mut first = tile * TILE + in_tile;
    let mut values = load_each::<T, OWN>(length, (tile + 1) * TILE, first, T::ZERO, load);
    let mut flags = load_each::<bool, OWN>(length, (tile + 1) * TILE, first, false, flag);
    // In lane 0, the element before those of the warp.
    let mut edge = T::ZERO;
    if RUNS && l == 0 && first > 0 && first < length {
        edge = load(first - 1);
    }
    let mut found = (0u64, false);
    while tile * TILE < length {
        let mut claimed = 0;
        if t == 0 {
            claimed = claim_alone(state);
        }
        // Bit k is that of the thread's element k.
        let mut selected = 0u32;
        let mut count = 0u32;
        let mut last = edge;
        for k in 0..OWN {
            let at = first + k * 32;
            let mut is = flags[k];
            if RUNS {
                // Lane 0 gets the value of lane 31, which comes before its next one.
                let turned = warp::shuffle(values[k], (l + 31) % 32);
                let previous = if l == 0 { last } else { turned };
                is = at < length && (at == 0 || values[k] != previous);
                last = turned;
            }
            selected |= (is as u32) << k as u32;
            count += warp::ballot(is).count_ones();
        }
        if l == 0 {
            counts[w] = count;
        }
        if t == 0 {
            next_tile[0] = claimed;
        }
        block::sync();
        let next = next_tile[0];
        let mut place = 0u32;
        let mut total = 0u32;
        for warp in 0..WARPS {
            let count = counts[warp];
            if warp < w {
                place += count;
            }
            total += count;
        }
        if t == 0 {
            announce(state, 1, tile, total as u64);
        }
        for k in 0..OWN {
            let is = selected >> k as u32 & 1 != 0;
            let lanes = warp::ballot(is);
            if is {
                staged[(place + (lanes & below).count_ones()) as usize] = keep(values[k], first + k * 32);
            }
            place += lanes.count_ones();
        }

        // The loads of the next tile are on their way while the block looks back.
        first = next * TILE + in_tile;
        values = load_each::<T, OWN>(length, (next + 1) * TILE, first, T::ZERO, load);
        flags = load_each::<bool, OWN>(length, (next + 1) * TILE, first, false, flag);
        if RUNS && l == 0 && first < length {
            edge = load(first - 1);
        }
        let before = look_back(state, 1, tile, 0u64, total as u64, |a, b| a + b);
        let mut i = t;
        while i < total as usize {
            store(before as usize + i, staged[i]);
            i += THREADS;
        }
        if (tile + 1) * TILE >= length {
            found = (before + total as u64, true);
        }
        tile = next;
    }
    found
}

/// The elements whose flag is true.
// Races: blocks take their tiles by tickets, and write where those before have ended.
#[vyre::kernel(block = 256, T = [u32, u64], allow(races))]
pub fn flagged<T: Value>(x: &[T], flags: &[bool], y: &mut [T], count: &mut [u64], state: &[AtomicU64]) {
    let (all, last) = compact::<T, T, false>(
        x.len(),
        state,
        // SAFETY: the index is below the length, which both slices have.
        |i| unsafe { *x.get_unchecked(i) },
        // SAFETY: as above.
        |i| unsafe { *flags.get_unchecked(i) },
        |value, _i| value,
        |place, kept| {
            if place < y.len() {
                y[place] = kept;
            }
        },
    );
    if last && thread::idx().x == 0 {
        count[0] = all;
    }
}

/// The filled parts of shards of `room` elements each, and how many elements found no room in theirs.
// Races: blocks take their tiles by tickets, and write where those before have ended.
#[vyre::kernel(block = 512, T = [u32, u64], allow(races))]
pub fn filled_parts<T: Value>(
    x: &[T],
    counts: &[u64],
    room: usize,
    y: &mut [T],
    found: &mut [u64],
    state: &[AtomicU64],
) {
    let (all, last) = select_tile(
        x.len(),
        state,
        |i| ((i % room) as u64) < counts[i / room],
        |place, i| {
            if place < y.len() {
                // SAFETY: the index is below the length.
                y[place] = unsafe { *x.get_unchecked(i) };
            }
        },
    );
    let mut lost = 0u64;
    if last {
        let mut shard = thread::idx().x;
        while shard < counts.len() {
            lost += counts[shard].max(room as u64) - room as u64;
            shard += 512;
        }
    }
    let lost = block::sum(lost);
    if last && thread::idx().x == 0 {
        found[0] = all;
        found[1] = lost;
    }
}

/// The first elements of runs.
// Races: blocks take their tiles by tickets, and write where those before have ended.
#[vyre::kernel(block = 256, T = [u32, f32, u64, f64], allow(races))]
pub fn unique<T: Value>(x: &[T], y: &mut [T], count: &mut [u64], state: &[AtomicU64]) {
    let (all, last) = compact::<T, T, true>(
        x.len(),
        state,
        // SAFETY: the index is below the length.
        |i| unsafe { *x.get_unchecked(i) },
        |_i| false,
        |value, _i| value,
        |place, kept| {
            if place < y.len() {
                y[place] = kept;
            }
        },
    );
    if last && thread::idx().x == 0 {
        count[0] = all;
    }
}

/// The indices of the first elements of runs, and the length.
// Races: blocks take their tiles by tickets, and write where those before have ended.
#[vyre::kernel(block = 256, T = [u32, f32, u64, f64], allow(races))]
pub fn run_starts<T: Value>(x: &[T], starts: &mut [u64], count: &mut [u64], state: &[AtomicU64]) {
    let (all, last) = compact::<T, u64, true>(
        x.len(),
        state,
        // SAFETY: the index is below the length.
        |i| unsafe { *x.get_unchecked(i) },
        |_i| false,
        |_value, i| i as u64,
        |place, start| {
            if place < starts.len() {
                starts[place] = start;
            }
        },
    );
    if last && thread::idx().x == 0 {
        count[0] = all;
        if (all as usize) < starts.len() {
            starts[all as usize] = x.len() as u64;
        }
    }
}
