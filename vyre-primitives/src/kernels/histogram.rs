//! Histograms.

use vyre::prelude::*;

/// The most bins that a block counts in shared memory.
#[vyre::device]
pub const SHARED_BINS: usize = 8192;

/// The elements of a thread that are in flight at the same time.
#[vyre::device]
const EACH: usize = 16;

/// The elements of a block that are in flight at the same time.
#[vyre::device]
const TILE: usize = 256 * EACH;

/// The blocks of a launch that counts so many elements: eight for each multiprocessor have all of its threads. A block
/// counts fewer than 2^32.
pub fn blocks(length: usize, multiprocessors: u32) -> u32 {
    let resident = (8 * multiprocessors as usize).max(length >> 31);
    length.div_ceil(TILE).min(resident) as u32
}

/// Counts the bins of `length` elements in shared memory. A bin from `counts.len()` on is none.
#[vyre::device]
fn count(length: usize, local: &[AtomicU32], counts: &[AtomicU64], bin: impl Fn(usize) -> u32) {
    let t = thread::idx().x;
    let bins = counts.len() as u32;
    for bin in (t..counts.len()).step_by(256) {
        local[bin].store(0, Ordering::Relaxed);
    }
    block::sync();
    let mut start = block::idx().x * TILE;
    while start + TILE <= length {
        let mut found = [0; EACH];
        for k in 0..EACH {
            found[k] = bin(start + t + k * 256);
        }
        for k in 0..EACH {
            if found[k] < bins {
                // SAFETY: there is a place for each bin.
                unsafe { local.get_unchecked(found[k] as usize).fetch_add(1, Ordering::Relaxed) };
            }
        }
        start += grid::dim().x * TILE;
    }
    // The block that has the last tile, if that is not full; for others the range is empty.
    for i in (start + t..length).step_by(256) {
        let found = bin(i);
        if found < bins {
            local[found as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
    block::sync();
    for bin in (t..counts.len()).step_by(256) {
        let count = local[bin].load(Ordering::Relaxed);
        if count > 0 {
            counts[bin].fetch_add(count as u64, Ordering::Relaxed);
        }
    }
}

/// Counts more bins than shared memory has room for.
#[vyre::device]
fn count_in_place(length: usize, counts: &[AtomicU64], bin: impl Fn(usize) -> usize) {
    for i in (thread::index()..length).step_by(grid::dim().x * 256) {
        let bin = bin(i);
        if bin < counts.len() {
            counts[bin].fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Counts bytes.
#[vyre::kernel(block = 256)]
pub fn bins_of_u8(x: &[u8], counts: &[AtomicU64]) {
    let local = shared::dynamic::<AtomicU32>();
    if local.len() < counts.len() {
        // SAFETY: the index is below the length.
        count_in_place(x.len(), counts, |i| unsafe { *x.get_unchecked(i) } as usize);
    } else {
        // SAFETY: as above.
        count(x.len(), local, counts, |i| unsafe { *x.get_unchecked(i) } as u32);
    }
}

/// Counts numbers of 16 bits.
#[vyre::kernel(block = 256)]
pub fn bins_of_u16(x: &[u16], counts: &[AtomicU64]) {
    let local = shared::dynamic::<AtomicU32>();
    if local.len() < counts.len() {
        // SAFETY: the index is below the length.
        count_in_place(x.len(), counts, |i| unsafe { *x.get_unchecked(i) } as usize);
    } else {
        // SAFETY: as above.
        count(x.len(), local, counts, |i| unsafe { *x.get_unchecked(i) } as u32);
    }
}

/// Counts numbers of 32 bits.
#[vyre::kernel(block = 256)]
pub fn bins_of_u32(x: &[u32], counts: &[AtomicU64]) {
    let local = shared::dynamic::<AtomicU32>();
    if local.len() < counts.len() {
        // SAFETY: the index is below the length.
        count_in_place(x.len(), counts, |i| unsafe { *x.get_unchecked(i) } as usize);
    } else {
        // SAFETY: as above.
        count(x.len(), local, counts, |i| unsafe { *x.get_unchecked(i) });
    }
}

/// Counts the floats of intervals.
#[vyre::kernel(block = 256)]
pub fn even_f32(x: &[f32], lower: f32, upper: f32, scale: f32, counts: &[AtomicU64]) {
    let local = shared::dynamic::<AtomicU32>();
    let bins = counts.len();
    if local.len() < bins {
        count_in_place(x.len(), counts, |i| {
            // SAFETY: the index is below the length.
            let value = unsafe { *x.get_unchecked(i) };
            let bin = ((value - lower) * scale) as usize;
            if value >= lower && value < upper {
                bin.min(bins - 1)
            } else {
                bins
            }
        });
    } else {
        count(x.len(), local, counts, |i| {
            // SAFETY: as above.
            let value = unsafe { *x.get_unchecked(i) };
            let bin = ((value - lower) * scale) as u32;
            if value >= lower && value < upper {
                bin.min(bins as u32 - 1)
            } else {
                bins as u32
            }
        });
    }
}

/// Counts the floats of intervals.
#[vyre::kernel(block = 256)]
pub fn even_f64(x: &[f64], lower: f64, upper: f64, scale: f64, counts: &[AtomicU64]) {
    let local = shared::dynamic::<AtomicU32>();
    let bins = counts.len();
    if local.len() < bins {
        count_in_place(x.len(), counts, |i| {
            // SAFETY: the index is below the length.
            let value = unsafe { *x.get_unchecked(i) };
            let bin = ((value - lower) * scale) as usize;
            if value >= lower && value < upper {
                bin.min(bins - 1)
            } else {
                bins
            }
        });
    } else {
        count(x.len(), local, counts, |i| {
            // SAFETY: as above.
            let value = unsafe { *x.get_unchecked(i) };
            let bin = ((value - lower) * scale) as u32;
            if value >= lower && value < upper {
                bin.min(bins as u32 - 1)
            } else {
                bins as u32
            }
        });
    }
}
