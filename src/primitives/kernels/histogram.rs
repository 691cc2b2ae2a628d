//! Histograms.

use vyre::prelude::*;

/// The most bins that a block counts in shared memory.
pub const SHARED_BINS: usize = 8192;

/// The elements that a block counts at least.
const TILE: usize = 256 * 32;

/// The blocks of a launch that counts so many elements.
pub fn blocks(length: usize) -> u32 {
    length.div_ceil(TILE).min(2048) as u32
}

/// Counts the bins of `length` elements, in shared memory if there are so many bins.
#[vyre_macros::device]
fn count(length: usize, local: &[AtomicU32], counts: &[AtomicU64], bin: impl Fn(usize) -> usize) {
    let t = thread::idx().x;
    let bins = counts.len();
    if local.len() < bins {
        for i in (thread::index()..length).step_by(grid::dim().x * 256) {
            let bin = bin(i);
            if bin < bins {
                counts[bin].fetch_add(1, Ordering::Relaxed);
            }
        }
    } else {
        for bin in (t..bins).step_by(256) {
            local[bin].store(0, Ordering::Relaxed);
        }
        block::sync();
        for i in (thread::index()..length).step_by(grid::dim().x * 256) {
            let bin = bin(i);
            if bin < bins {
                local[bin].fetch_add(1, Ordering::Relaxed);
            }
        }
        block::sync();
        for bin in (t..bins).step_by(256) {
            let count = local[bin].load(Ordering::Relaxed);
            if count > 0 {
                counts[bin].fetch_add(count as u64, Ordering::Relaxed);
            }
        }
    }
}

/// Counts bytes.
#[vyre_macros::kernel(block = 256)]
pub fn bins_of_u8(x: &[u8], counts: &[AtomicU64]) {
    let local = shared::dynamic::<AtomicU32>();
    // SAFETY: the index is below the length.
    count(x.len(), local, counts, |i| unsafe { *x.get_unchecked(i) } as usize);
}

/// Counts numbers of 16 bits.
#[vyre_macros::kernel(block = 256)]
pub fn bins_of_u16(x: &[u16], counts: &[AtomicU64]) {
    let local = shared::dynamic::<AtomicU32>();
    // SAFETY: the index is below the length.
    count(x.len(), local, counts, |i| unsafe { *x.get_unchecked(i) } as usize);
}

/// Counts numbers of 32 bits.
#[vyre_macros::kernel(block = 256)]
pub fn bins_of_u32(x: &[u32], counts: &[AtomicU64]) {
    let local = shared::dynamic::<AtomicU32>();
    // SAFETY: the index is below the length.
    count(x.len(), local, counts, |i| unsafe { *x.get_unchecked(i) } as usize);
}

/// Counts the floats of intervals.
#[vyre_macros::kernel(block = 256)]
pub fn even_f32(x: &[f32], lower: f32, upper: f32, scale: f32, counts: &[AtomicU64]) {
    let local = shared::dynamic::<AtomicU32>();
    let bins = counts.len();
    count(x.len(), local, counts, |i| {
        // SAFETY: the index is below the length.
        let value = unsafe { *x.get_unchecked(i) };
        let bin = ((value - lower) * scale) as usize;
        if value >= lower && value < upper {
            bin.min(bins - 1)
        } else {
            bins
        }
    });
}

/// Counts the floats of intervals.
#[vyre_macros::kernel(block = 256)]
pub fn even_f64(x: &[f64], lower: f64, upper: f64, scale: f64, counts: &[AtomicU64]) {
    let local = shared::dynamic::<AtomicU32>();
    let bins = counts.len();
    count(x.len(), local, counts, |i| {
        // SAFETY: the index is below the length.
        let value = unsafe { *x.get_unchecked(i) };
        let bin = ((value - lower) * scale) as usize;
        if value >= lower && value < upper {
            bin.min(bins - 1)
        } else {
            bins
        }
    });
}
