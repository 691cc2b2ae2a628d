//! Stable radix sort of keys with values, four bits at a time from the lowest.

use vyre::prelude::*;
use vyre_algorithms::Random;
use vyre_semantics::everywhere;

super::kernels! { CountDigits FirstPlaces Scatter }

/// The number of keys per digit and block; the counts of a digit are adjacent.
#[vyre::kernel(block = 128)]
fn count_digits(keys: &[u32], shift: u32, counts: &mut [u32]) {
    let count = shared::<[AtomicU32; 16]>();
    let (i, t) = (thread::index(), thread::idx().x);
    if t < 16 {
        count[t].store(0, Ordering::Relaxed);
    }
    block::sync();
    if i < keys.len() {
        let digit = keys[i] >> shift & 15;
        count[digit as usize].fetch_add(1, Ordering::Relaxed);
    }
    block::sync();
    if t < 16 {
        counts[t * grid::dim().x + block::idx().x] = count[t].load(Ordering::Relaxed);
    }
}

/// Exclusive prefix sum of the counts by one block, one tile of 128 after the other.
#[vyre::kernel(block = 128)]
fn first_places(counts: &mut [u32]) {
    let sum_of_warp = shared::<[u32; 4]>();
    let t = thread::idx().x;
    let mut before = 0;
    for first in (0..counts.len()).step_by(128) {
        let i = first + t;
        let count = if i < counts.len() { counts[i] } else { 0 };
        let below = warp::exclusive_sum(count);
        if lane::index() == 31 {
            sum_of_warp[t / 32] = below + count;
        }
        block::sync();
        let mut place = before + below;
        for w in 0..4 {
            if w < t / 32 {
                place += sum_of_warp[w];
            }
            before += sum_of_warp[w];
        }
        block::sync();
        if i < counts.len() {
            counts[i] = place;
        }
    }
}

/// Scatters each key and its value to its position: the start of its digit in this block, plus the
/// keys of this digit before it.
#[vyre::kernel(block = 128, allow(races))] // counted places are a permutation
fn scatter(
    keys: &[u32],
    values: &[u32],
    shift: u32,
    places: &[u32],
    sorted_keys: &mut [u32],
    sorted_values: &mut [u32],
) {
    let count = shared::<[[u32; 16]; 4]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let w = t / 32;
    let there = i < keys.len();
    let digit = if there { keys[i] >> shift & 15 } else { 16 };
    let same = warp::match_any(digit);
    let in_front = (same & ((1 << lane::index()) - 1)).count_ones();
    if lane::index() < 16 {
        count[w][lane::index()] = 0;
    }
    block::sync();
    if there && in_front == 0 {
        count[w][digit as usize] = same.count_ones();
    }
    block::sync();
    if there {
        let mut place = places[digit as usize * grid::dim().x + block::idx().x] + in_front;
        for other in 0..4 {
            if other < w {
                place += count[other][digit as usize];
            }
        }
        // SAFETY: the places count the keys that come before, so they are a permutation of those of
        // the keys, and the sorted slices are as long as the keys.
        unsafe {
            *sorted_keys.get_unchecked_mut(place as usize) = keys[i];
            *sorted_values.get_unchecked_mut(place as usize) = values[i];
        }
    }
}

#[test]
fn sorts_and_keeps_the_order_of_equals() {
    everywhere(|place| {
        let mut random = Random::new(6);
        for length in [0, 1, 2, 127, 128, 129, 1100] {
            let inputs = [
                random.words(length),
                random.words(length).into_iter().map(|key| (key % 5) << 13).collect(),
            ];
            for input in inputs {
                let blocks = length.div_ceil(128);
                let mut keys = place.device().upload(&input)?;
                let mut values = place.device().upload(&(0..length as u32).collect::<Vec<_>>())?;
                let (mut to_keys, mut to_values) = (keys.try_clone()?, values.try_clone()?);
                let mut places = place.device().zeros::<u32>(16 * blocks)?;
                for shift in (0..32).step_by(4) {
                    place.over(count_digits(&keys, shift, &mut places), length)?;
                    place.grid(first_places(&mut places), [1, 1, 1])?;
                    let kernel = scatter(&keys, &values, shift, &places, &mut to_keys, &mut to_values);
                    place.over(kernel, length)?;
                    std::mem::swap(&mut keys, &mut to_keys);
                    std::mem::swap(&mut values, &mut to_values);
                }
                let mut expected: Vec<(u32, u32)> = input.into_iter().zip(0..).collect();
                expected.sort_by_key(|pair| pair.0);
                let sorted: Vec<(u32, u32)> = keys.download()?.into_iter().zip(values.download()?).collect();
                assert!(sorted == expected, "{length} on {}", place.name());
            }
        }
        Ok(())
    });
}
