//! Reductions of the segments of an array.
//!
//! A block of 256 threads has eight segments. Each of its warps reduces a short one; all of them together reduce the
//! long ones, one after the other. Both ways combine in the same order, as if 256 threads had each segment.

use crate::value::Value;
use vyre::prelude::*;

/// The longest segment that a warp reduces alone.
#[vyre::device]
const SHORT: usize = 1024;

/// The parts of a short segment, of 32 threads each, that a warp loads at the same time.
#[vyre::device]
const PARTS: usize = 4;

/// The threads of a launch for so many segments.
pub fn threads(segments: usize) -> usize {
    segments.div_ceil(8) * 256
}

/// Start and end of a segment.
#[vyre::device]
fn bounds(offsets: &[u64], segment: usize, length: usize) -> (usize, usize) {
    let (start, end) = (offsets[segment] as usize, offsets[segment + 1] as usize);
    assert!(
        start <= end && end <= length,
        "segment {segment} is {start}..{end} of {length} elements; offsets ascend, up to the number of elements"
    );
    (start, end)
}

/// The part of a segment that thread `t` of 256 combines.
#[vyre::device]
fn own_part<T: Value>(x: &[T], start: usize, end: usize, t: usize, neutral: T, combine: impl Fn(T, T) -> T) -> T {
    let mut own = neutral;
    let mut at = start + t;
    while at < end {
        // SAFETY: the segment lies within the slice.
        own = combine(own, unsafe { *x.get_unchecked(at) });
        at += 256;
    }
    own
}

/// The combination of a warp, in the order of a reduction of a block.
#[vyre::device]
fn of_warp<T: Value>(value: T, combine: impl Fn(T, T) -> T) -> T {
    let mut all = value;
    for step in 0..5u32 {
        let other = warp::shuffle_xor(all, 1 << step);
        all = combine(all, other);
    }
    all
}

#[vyre::device]
fn segments<T: Value>(x: &[T], offsets: &[u64], y: &mut [T], empty: T, neutral: T, combine: impl Fn(T, T) -> T + Copy) {
    let first = block::idx().x * 8;
    let segment = first + thread::idx().x / 32;
    if segment < y.len() {
        let (start, end) = bounds(offsets, segment, x.len());
        if end - start <= SHORT {
            let mut all = neutral;
            let mut part = 0;
            while part < 256 && start + part < end {
                // The loads of several parts are in flight at the same time. Values beyond the end change nothing.
                let mut loaded = [neutral; PARTS * (SHORT / 256)];
                for k in 0..PARTS * (SHORT / 256) {
                    let at = start + part + lane::index() + k % PARTS * 32 + k / PARTS * 256;
                    if at < end {
                        // SAFETY: the segment lies within the slice.
                        loaded[k] = unsafe { *x.get_unchecked(at) };
                    }
                }
                for k in 0..PARTS {
                    if start + part + k * 32 < end {
                        let mut own = combine(neutral, loaded[k]);
                        for round in 1..SHORT / 256 {
                            own = combine(own, loaded[round * PARTS + k]);
                        }
                        all = combine(all, of_warp(own, combine));
                    }
                }
                part += PARTS * 32;
            }
            if lane::index() == 0 {
                y[segment] = if start == end { empty } else { all };
            }
        }
    }
    for segment in first..y.len().min(first + 8) {
        let (start, end) = bounds(offsets, segment, x.len());
        if end - start > SHORT {
            let own = own_part(x, start, end, thread::idx().x, neutral, combine);
            let all = block::reduce(own, combine);
            if thread::idx().x == 0 {
                // SAFETY: the segment is below the length, and this thread alone writes it.
                unsafe { *y.get_unchecked_mut(segment) = all };
            }
        }
    }
}

/// The sum of each segment. Those of signed numbers have the same bits as those of unsigned ones.
// Races: a segment is written by one lane if it is short, and by one thread of the block if it is long.
#[vyre::kernel(block = 256, T = [u32, f32, u64, f64], allow(races))]
pub fn segment_sums<T: Value>(x: &[T], offsets: &[u64], y: &mut [T]) {
    segments(x, offsets, y, T::ZERO, T::NO_SUM, |a, b| a + b);
}

/// The minimum of each segment; `empty` is that of no elements.
// Races: a segment is written by one lane if it is short, and by one thread of the block if it is long.
#[vyre::kernel(block = 256, T = [u32, i32, f32, u64, i64, f64], allow(races))]
pub fn segment_minima<T: Value>(x: &[T], offsets: &[u64], y: &mut [T], empty: T) {
    segments(x, offsets, y, empty, T::NO_MIN, |a, b| a.lesser(b));
}

/// The maximum of each segment; `empty` is that of no elements.
// Races: a segment is written by one lane if it is short, and by one thread of the block if it is long.
#[vyre::kernel(block = 256, T = [u32, i32, f32, u64, i64, f64], allow(races))]
pub fn segment_maxima<T: Value>(x: &[T], offsets: &[u64], y: &mut [T], empty: T) {
    segments(x, offsets, y, empty, T::NO_MAX, |a, b| a.greater(b));
}
