//! Parts of shared memory, and dynamic shared memory, of other blocks of a cluster.

use vyre::prelude::*;
use vyre::{Error, FaultKind};
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { Parts DynamicParts Beyond }

#[vyre::device]
#[derive(Clone, Copy)]
struct Letter {
    from: u32,
    words: [u32; 3],
}

#[vyre::device]
fn total(row: &[u32; 32]) -> u32 {
    let mut sum = 0;
    for value in row {
        sum += *value;
    }
    sum
}

#[vyre::device]
fn fill(words: &mut [u32], by: u32) {
    for i in 0..words.len() {
        words[i] = by * 10 + i as u32;
    }
}

/// Rows, fields, elements and atomics of other blocks, each mapped separately.
#[vyre::kernel(block = 32, cluster = 4, allow(races))] // memory of other blocks
fn parts(x: &[u32], sums: &mut [u32], letters: &mut [u32], counts: &mut [u32]) {
    let rows = shared::<[[u32; 32]; 2]>();
    let letter = shared::<[Letter; 2]>();
    let count = shared::<[AtomicU32; 4]>();
    let (i, t, rank) = (thread::index(), thread::idx().x, cluster::block_rank());
    let next = (rank + 1) % 4;
    rows[0][t] = x[i];
    rows[1][31 - t] = x[i] * 2;
    if t < 4 {
        count[t].store(0, Ordering::Relaxed);
    }
    cluster::sync();
    let theirs = cluster::map_shared(&rows[1], next);
    sums[i] = theirs[t] + total(cluster::map_shared(&rows[rank % 2], next)) * 3;
    if t == 0 {
        *cluster::map_shared(&letter[1].from, next) = rank as u32 + 1;
        fill(cluster::map_shared(&letter[1].words, next), rank as u32);
        *cluster::map_shared(&letter[0], next) = Letter {
            from: 7,
            words: [rank as u32; 3],
        };
    }
    cluster::map_shared(&count[t % 4], next).fetch_add(t as u32, Ordering::Relaxed);
    cluster::sync();
    letters[i] = letter[1].from + letter[1].words[t % 3] * 100 + letter[0].words[t % 3] * 10_000;
    counts[i] = count[t % 4].load(Ordering::Relaxed);
}

#[test]
fn parts_of_other_blocks() {
    everywhere(|place| {
        let x: Vec<u32> = (0..256).map(|i| i * i % 101).collect();
        let given = place.device().upload(&x)?;
        let [mut sums, mut letters, mut counts] = [(); 3].map(|()| place.device().zeros::<u32>(256).expect("memory"));
        place.over(parts(&given, &mut sums, &mut letters, &mut counts), 256)?;
        let (sums, letters, counts) = (sums.download()?, letters.download()?, counts.download()?);
        for i in 0..256 {
            let (first, rank, t) = (i / 128 * 128, i / 32 % 4, i % 32);
            let (next, before) = ((rank + 1) % 4, (rank as u32 + 3) % 4);
            let block = &x[first + next * 32..][..32];
            let all: u32 = block.iter().sum();
            let expected = block[31 - t] * 2 + all * 3 * (1 + rank as u32 % 2);
            assert_eq!(sums[i], expected, "{i} on {}", place.name());
            let word = before * 10 + t as u32 % 3;
            assert_eq!(
                letters[i],
                before + 1 + word * 100 + before * 10_000,
                "{i} on {}",
                place.name()
            );
            let count: u32 = (0..32).filter(|lane| lane % 4 == t as u32 % 4).sum();
            assert_eq!(counts[i], count, "{i} on {}", place.name());
        }
        Ok(())
    });
}

#[vyre::device]
fn added(row: &[u32; 8], all: &[u32]) -> u32 {
    row[0] + row[7] + all[all.len() - 1]
}

/// Slices with lengths from arguments, and the rest after them, beside static shared memory.
#[vyre::kernel(block = 32, cluster = 2, allow(races))] // memory of other blocks, and parts of dynamic memory
fn dynamic_parts(n: usize, x: &[u32], sums: &mut [u32], counts: &mut [u64]) {
    let own = shared::<[u32; 5]>();
    let keys = shared::slice::<u32>(n);
    let rows = shared::slice::<[u32; 8]>(4);
    let cells = shared::dynamic::<AtomicU64>();
    let (i, t, other) = (thread::index(), thread::idx().x, 1 - cluster::block_rank());
    if t < 5 {
        own[t] = 1000 * other as u32;
    }
    if t < n {
        keys[t] = x[i];
    }
    rows[t / 8][t % 8] = x[i] * 100;
    cells[t].store(t as u64, Ordering::Relaxed);
    cluster::sync();
    let theirs = cluster::map_shared(keys, other);
    let row = cluster::map_shared(&rows[t / 8], other);
    let last = cluster::map_shared(rows, other);
    sums[i] = theirs[t % n]
        + row[7 - t % 8]
        + cluster::map_shared(rows, other)[3][t % 8]
        + added(&last[t / 8], theirs)
        + added(row, cluster::map_shared(keys, 1 - other))
        + cluster::map_shared(own, other)[4]
        + theirs.len() as u32;
    let sum = cluster::map_shared(cells, other)[31 - t].fetch_add(1, Ordering::Relaxed);
    cluster::sync();
    cluster::map_shared(&cells[t], other).fetch_max(sum, Ordering::Relaxed);
    cluster::sync();
    if t == 0 {
        *cluster::map_shared(&rows[2][3], other) = other as u32;
    }
    cluster::sync();
    counts[i] = cells[t].load(Ordering::Relaxed) * 10 + rows[2][3] as u64;
}

#[test]
fn dynamic_memory_of_other_blocks() {
    everywhere(|place| {
        for n in [1usize, 7, 32] {
            let x: Vec<u32> = (0..128).map(|i| i * 7 % 41).collect();
            let given = place.device().upload(&x)?;
            let (mut sums, mut counts) = (place.device().zeros::<u32>(128)?, place.device().zeros::<u64>(128)?);
            let bytes = (n * 4).next_multiple_of(16) + 4 * 32 + 32 * 8;
            place.over_sharing(dynamic_parts(n, &given, &mut sums, &mut counts), 128, bytes)?;
            let (sums, counts) = (sums.download()?, counts.download()?);
            for i in 0..128 {
                let (t, rank) = (i % 32, i as u32 / 32 % 2);
                let block = &x[((i / 32) ^ 1) * 32..][..32];
                let own = &x[i / 32 * 32..][..32];
                let row = |at: usize| block[t / 8 * 8 + at] * 100;
                let ends = row(0) + row(7);
                let expected = block[t % n]
                    + row(7 - t % 8)
                    + block[24 + t % 8] * 100
                    + (ends + block[n - 1])
                    + (ends + own[n - 1])
                    + 1000 * rank
                    + n as u32;
                assert_eq!(sums[i], expected, "{n}, {i} on {}", place.name());
                let count = (t as u64 + 1).max(31 - t as u64);
                assert_eq!(counts[i], count * 10 + u64::from(rank), "{n}, {i} on {}", place.name());
            }
        }
        Ok(())
    });
}

/// Maps a part of dynamic memory.
#[vyre::kernel(block = 32, cluster = 2)]
fn beyond(rank: usize, at: usize, y: &mut [u32]) {
    let rows = shared::slice::<[u32; 4]>(3);
    let t = thread::idx().x;
    if t < 3 {
        rows[t] = [t as u32; 4];
    }
    cluster::sync();
    y[thread::index()] = cluster::map_shared(&rows[at], rank)[0];
    cluster::sync();
}

#[test]
fn a_rank_that_there_is_not() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(64)?;
        place.over_sharing(beyond(1, 2, &mut y), 64, 48)?;
        assert_eq!(y.download()?, [2; 64], "on {}", place.name());
        for (rank, at, kind, values) in [
            (2, 0, FaultKind::ClusterRank, [2, 2]),
            (0, 3, FaultKind::IndexOutOfBounds, [3, 3]),
        ] {
            match place.over_sharing(beyond(rank, at, &mut y), 64, 48) {
                Err(Error::Fault(fault)) => {
                    assert_eq!((fault.kind, fault.values), (kind, values), "on {}", place.name());
                }
                other => panic!("{other:?} on {}", place.name()),
            }
        }
        Ok(())
    });
}
