//! Stream compaction in a single pass.

use super::super::value::Value;
use super::look_back::{claim, look_back};
use super::scan::SCAN_TILE;
use vyre::prelude::*;

/// The elements of a thread.
#[vyre_macros::device]
const EACH: usize = 8;

/// The threads of a launch that selects from so many elements.
pub fn threads(length: usize) -> usize {
    length.div_ceil(SCAN_TILE) * 512
}

/// Selects indices below `length`, in their order, in a single pass: `store(place, i)` gets the number of selected
/// indices before `i`, and `i`.
///
/// For kernels of one axis with `block = 512`, launched with a block for each
/// [`SCAN_TILE`](crate::primitives::SCAN_TILE) indices. Returns the number of selected indices of all blocks up to this
/// one in each thread, and whether the block has the last tile: there it is that of all. `state` has
/// [`scan_state::<u64>`](crate::primitives::scan_state) words that are 0.
///
/// ```
/// use vyre::prelude::*;
/// use vyre::primitives::{SCAN_TILE, scan_state, select_tile};
///
/// /// The places of the values above a limit, and their number.
/// #[vyre::kernel(block = 512)]
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
#[vyre_macros::device]
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
    let before_tile = look_back(state, tile, 0u64, total as u64, |a, b| a + b);
    for k in 0..EACH {
        if selected >> k as u32 & 1 != 0 {
            let place = before_tile + (counts[k * 16 + t / 32] + below[k]) as u64;
            store(place as usize, start + k * 512 + t);
        }
    }
    (before_tile + total as u64, start + SCAN_TILE >= length)
}

/// The elements whose flag is true.
#[vyre_macros::kernel(block = 512, T = [u32, u64])]
pub fn flagged<T: Value>(x: &[T], flags: &[bool], y: &mut [T], count: &mut [u64], state: &[AtomicU64]) {
    let (all, last) = select_tile(
        x.len(),
        state,
        // SAFETY: the index is below the length, which both slices have.
        |i| unsafe { *flags.get_unchecked(i) },
        |place, i| {
            if place < y.len() {
                // SAFETY: the index is below the length.
                y[place] = unsafe { *x.get_unchecked(i) };
            }
        },
    );
    if last && thread::idx().x == 0 {
        count[0] = all;
    }
}

/// The filled parts of shards of `room` elements each, and how many elements found no room in theirs.
#[vyre_macros::kernel(block = 512, T = [u32, u64])]
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

/// If an element differs from the one before.
#[vyre_macros::device]
fn begins_run<T: Value>(x: &[T], i: usize) -> bool {
    // SAFETY: the caller's index is below the length.
    unsafe { i == 0 || *x.get_unchecked(i) != *x.get_unchecked(i - 1) }
}

/// The first elements of runs.
#[vyre_macros::kernel(block = 512, T = [u32, i32, f32, u64, i64, f64])]
pub fn unique<T: Value>(x: &[T], y: &mut [T], count: &mut [u64], state: &[AtomicU64]) {
    let (all, last) = select_tile(
        x.len(),
        state,
        |i| begins_run(x, i),
        |place, i| {
            if place < y.len() {
                // SAFETY: the index is below the length.
                y[place] = unsafe { *x.get_unchecked(i) };
            }
        },
    );
    if last && thread::idx().x == 0 {
        count[0] = all;
    }
}

/// The indices of the first elements of runs, and the length.
#[vyre_macros::kernel(block = 512, T = [u32, i32, f32, u64, i64, f64])]
pub fn run_starts<T: Value>(x: &[T], starts: &mut [u64], count: &mut [u64], state: &[AtomicU64]) {
    let (all, last) = select_tile(
        x.len(),
        state,
        |i| begins_run(x, i),
        |place, i| {
            if place < starts.len() {
                starts[place] = i as u64;
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
