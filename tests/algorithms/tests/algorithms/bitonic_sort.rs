//! Bitonic sort of any number of keys.
//!
//! Keys past the end count as greater than all others. Every comparison puts the lesser key first,
//! so those never move and need no memory: a merge begins with the comparison of each key with its
//! mirror image in the other half.

use vyre::prelude::*;
use vyre_algorithms::Random;
use vyre_semantics::everywhere;

super::kernels! { SortChunks Exchange MergeChunks }

/// Sorts each chunk of 256 keys in shared memory.
#[vyre::kernel(block = 256)]
fn sort_chunks(keys: &mut [u32]) {
    let chunk = shared::<[u32; 256]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let mut key = u32::MAX;
    if i < keys.len() {
        key = keys[i];
    }
    let mut size = 2;
    while size <= 256 {
        let mut mask = size - 1;
        let mut distance = size / 2;
        while distance > 0 {
            chunk[t] = key;
            block::sync();
            let other = chunk[t ^ mask];
            key = if t & distance == 0 {
                key.min(other)
            } else {
                key.max(other)
            };
            block::sync();
            distance /= 2;
            mask = distance;
        }
        size *= 2;
    }
    if i < keys.len() {
        keys[i] = key;
    }
}

/// One step of a merge whose halves are longer than a chunk: compares each key with the one at its
/// index XOR `mask`. The highest bit of `mask` determines which of the two comes first.
#[vyre::kernel]
fn exchange(from: &[u32], to: &mut [u32], mask: usize) {
    let i = thread::index();
    if i < to.len() {
        let other = i ^ mask;
        to[i] = if other >= from.len() {
            from[i]
        } else if i < other {
            from[i].min(from[other])
        } else {
            from[i].max(from[other])
        };
    }
}

/// The last eight comparisons of a merge, within each chunk of 256 keys.
#[vyre::kernel(block = 256)]
fn merge_chunks(keys: &mut [u32]) {
    let chunk = shared::<[u32; 256]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let mut key = u32::MAX;
    if i < keys.len() {
        key = keys[i];
    }
    let mut distance = 128;
    while distance > 0 {
        chunk[t] = key;
        block::sync();
        let other = chunk[t ^ distance];
        key = if t & distance == 0 {
            key.min(other)
        } else {
            key.max(other)
        };
        block::sync();
        distance /= 2;
    }
    if i < keys.len() {
        keys[i] = key;
    }
}

#[test]
fn sorts() {
    everywhere(|place| {
        let mut random = Random::new(5);
        for length in [0, 1, 2, 255, 256, 257, 1025] {
            let inputs = [
                random.words(length),
                random.words(length).into_iter().map(|key| key % 3).collect(),
            ];
            for mut keys in inputs {
                let mut from = place.device().upload(&keys)?;
                let mut to = place.device().zeros::<u32>(length)?;
                place.over(sort_chunks(&mut from), length)?;
                let mut size = 512;
                while size < 2 * length {
                    let mut mask = size - 1;
                    let mut distance = size / 2;
                    while distance >= 256 {
                        place.over(exchange(&from, &mut to, mask), length)?;
                        std::mem::swap(&mut from, &mut to);
                        distance /= 2;
                        mask = distance;
                    }
                    place.over(merge_chunks(&mut from), length)?;
                    size *= 2;
                }
                keys.sort_unstable();
                assert!(from.download()? == keys, "{length} on {}", place.name());
            }
        }
        Ok(())
    });
}
