//! Warps that go through several regions, and atomic operations of several lanes.

use vyre::prelude::*;

/// Exchanges of all kinds in a row, by tiles of several sizes, in a block of two axes.
#[vyre::kernel(block = [64, 2])]
fn in_a_row(x: &[u32], y: &mut [u32]) {
    let (i, j) = thread::index_2d();
    let at = j * 64 + i;
    let mut value = x[at];
    value = value * 3 + warp::shuffle_down(value, 5);
    value ^= warp::shuffle_up(value, 1) << 2;
    value += warp::shuffle(value, at * 7);
    value ^= warp::ballot(value % 3 == 1);
    value += warp::min(value) + warp::max(value) * 5;
    let tile = warp::tile::<8>();
    value ^= tile.shuffle_xor(value, 3) + tile.ballot(value.is_multiple_of(2)) * 9;
    value += tile.sum(value);
    y[at] = value;
}

/// Threads behind the end take part, so that one warp gives up.
#[vyre::kernel(block = 128)]
fn behind_the_end(x: &[f32], sums: &mut [f32], all: &mut [f32]) {
    let i = thread::index();
    let value = if i < x.len() { x[i] } else { 0.0 };
    let sum = block::sum(value);
    if thread::idx().x == 0 {
        sums[block::idx().x] = sum;
    }
    all[i] = sum + value;
}

/// The element that is stored after the exchange was loaded before it, and a variable lives from round to round.
#[vyre::kernel(block = 64)]
fn rounds(count: u32, y: &mut [u32]) {
    let i = thread::index();
    let mut last = 1;
    let mut left = count;
    while left > 0 {
        let own = y[i];
        let other = warp::shuffle_xor(own + last, left as usize);
        last = other * 3 + warp::shuffle(own, 1);
        block::sync();
        y[i] = own ^ last;
        block::sync();
        left -= 1;
    }
}

/// Lane 5 of the second warp of block 1 reads past the end, after the first warp is done.
#[vyre::kernel(block = 64)]
fn faulting(x: &[u32], far: usize, y: &mut [u32]) {
    let i = thread::index();
    let first = warp::shuffle_xor(x[i], 1);
    let at = if i == 101 { far } else { i };
    let second = warp::shuffle_xor(first + x[at], 2);
    y[i] = second;
}

/// Counts of bytes, by lanes that do not all have as many: the last ones of a row end a round before the first ones.
#[vyre::kernel(block = [64, 2])]
fn counts(x: &[u8], stride: usize, all: &[AtomicU32]) {
    let counts = shared::<[AtomicU32; 256]>();
    let t = thread::idx().y * 64 + thread::idx().x;
    counts[t].store(0, Ordering::Relaxed);
    counts[t + 128].store(0, Ordering::Relaxed);
    block::sync();
    let mut i = block::idx().x * 128 + t;
    while i < x.len() {
        if x[i] != 7 {
            counts[x[i] as usize].fetch_add(1 + (i as u32 & 1), Ordering::Relaxed);
        }
        i += stride;
    }
    block::sync();
    all[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed);
    all[t + 128].fetch_add(counts[t + 128].load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Indices that wrap: the first lanes are at the end of the range, where the loop ends, the last ones at its start.
#[vyre::kernel(block = 32)]
fn wrapping(begin: u32, limit: u32, sums: &mut [u32]) {
    let cells = shared::<[AtomicU32; 32]>();
    let t = thread::idx().x;
    cells[t].store(0, Ordering::Relaxed);
    block::sync();
    let mut i = begin.wrapping_add(t as u32);
    while i < limit {
        cells[t].fetch_add(i + 1, Ordering::Relaxed);
        i = i.wrapping_add(8);
    }
    block::sync();
    sums[t] = cells[31 - t].load(Ordering::Relaxed);
}

/// A variable of the block that changes between two exchanges.
#[vyre::kernel(block = 64)]
fn distances(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let mut value = x[i];
    let mut distance = 16;
    value += warp::shuffle_xor(value, distance);
    distance = 8;
    value += warp::shuffle_xor(value, distance);
    y[i] = value;
    return;
}

/// The second warp gives up between two exchanges, with a store between them.
#[vyre::kernel(block = 64)]
fn offered(x: &[u32], y: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let own = if i < x.len() { x[i] } else { 0 };
    let next = warp::shuffle_xor(own, 1);
    tile[t] = next;
    y[i] = warp::shuffle_xor(next, 2) + tile[t];
}

/// Elements that no lane reads, which are not there.
#[vyre::kernel(block = 64)]
fn behind_a_condition(x: &[u32], own: &[u32], all: &[AtomicU32]) {
    let counts = shared::<[AtomicU32; 64]>();
    let t = thread::idx().x;
    counts[t].store(0, Ordering::Relaxed);
    block::sync();
    let own = own[t];
    for k in 0..16u32 {
        let value = if k < own {
            // SAFETY: no number is greater than the length.
            unsafe { *x.get_unchecked(k as usize) }
        } else {
            0
        };
        counts[t].fetch_add(value + 1, Ordering::Relaxed);
    }
    block::sync();
    all[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed);
}

/// An index of eight bits wraps within a chunk.
#[vyre::kernel(block = 40)]
fn narrow(all: &[AtomicU32]) {
    let part = shared::<[AtomicU32; 40]>();
    let counts = shared::<[AtomicU32; 256]>();
    let u = thread::idx().x;
    part[u].store(0, Ordering::Relaxed);
    let t = thread::index() as u8 as usize;
    block::sync();
    for _ in 0..3u32 {
        part[u].fetch_add(1, Ordering::Relaxed);
        counts[t].fetch_add(1, Ordering::Relaxed);
    }
    block::sync();
    all[thread::index()].fetch_add(part[u].load(Ordering::Relaxed), Ordering::Relaxed);
}

pub(crate) fn results(device: &Device) {
    let words: Vec<u32> = (0..320u32).map(|i| i.wrapping_mul(0x9e37_79b1) >> 25).collect();
    let x = device.upload(&words).expect("memory");
    let mut y = device.zeros::<u32>(256).expect("memory");
    in_a_row(&x, &mut y).over([64, 4]).launch(device).expect("a launch");
    super::digest("in a row", y.download().expect("results"));

    let floats: Vec<f32> = (0..300).map(|i| (i * 7 % 101) as f32 * 0.37).collect();
    let up = device.upload(&floats).expect("memory");
    let (mut sums, mut all) = (
        device.zeros::<f32>(3).expect("memory"),
        device.zeros::<f32>(384).expect("memory"),
    );
    behind_the_end(&up, &mut sums, &mut all)
        .over(384)
        .launch(device)
        .expect("a launch");
    let (sums, all) = (sums.download().expect("results"), all.download().expect("results"));
    for (block, values) in floats.chunks(128).enumerate() {
        // In pairs of warps, then one after the other.
        let warp = |values: &[f32]| {
            let mut lanes = [0.0; 32];
            lanes[..values.len()].copy_from_slice(values);
            for distance in [1, 2, 4, 8, 16] {
                lanes = std::array::from_fn(|lane| lanes[lane] + lanes[lane ^ distance]);
            }
            lanes[0]
        };
        let mut warps = [0.0; 4];
        for (sum, values) in warps.iter_mut().zip(values.chunks(32)) {
            *sum = warp(values);
        }
        let sum = warps.into_iter().reduce(|a, b| a + b).expect("four");
        assert_eq!(sums[block].to_bits(), sum.to_bits(), "block {block}");
        for (t, value) in values.iter().enumerate() {
            assert_eq!(
                all[128 * block + t].to_bits(),
                (sum + value).to_bits(),
                "thread {t} of {block}"
            );
        }
    }

    let mut y = device.upload(&words[..128]).expect("memory");
    rounds(5, &mut y).over(128).launch(device).expect("a launch");
    let mut expected = words[..128].to_vec();
    let mut last = vec![1u32; 128];
    for left in (1..=5usize).rev() {
        let before = (expected.clone(), last.clone());
        for i in 0..128 {
            let (warp, other) = (i / 32 * 32, i ^ left);
            last[i] = (before.0[other] + before.1[other]) * 3 + before.0[warp + 1];
            expected[i] = before.0[i] ^ last[i];
        }
    }
    assert_eq!(y.download().expect("results"), expected);

    let mut y = device.zeros::<u32>(128).expect("memory");
    distances(&x, &mut y).over(128).launch(device).expect("a launch");
    let expected: Vec<u32> = (0..128usize)
        .map(|i| words[i] + words[i ^ 16] + words[i ^ 8] + words[i ^ 24])
        .collect();
    assert_eq!(y.download().expect("results"), expected);
    let short = device.upload(&words[..40]).expect("memory");
    offered(&short, &mut y).over(64).launch(device).expect("a launch");
    let expected: Vec<u32> = (0..64usize)
        .map(|i| [i ^ 3, i ^ 1].map(|i| if i < 40 { words[i] } else { 0 }).iter().sum())
        .collect();
    assert_eq!(y.download().expect("results")[..64], expected);

    let (four, own) = ([5u32, 6, 7, 8], (0..64).map(|t| t % 5).collect::<Vec<u32>>());
    let (four, up) = (
        device.upload(&four).expect("memory"),
        device.upload(&own).expect("memory"),
    );
    let mut all = device.zeros::<u32>(64).expect("memory");
    behind_a_condition(&four, &up, &mut all)
        .over(64)
        .launch(device)
        .expect("a launch");
    let expected: Vec<u32> = own
        .iter()
        .map(|own| 16 + (0..*own).map(|k| k + 5).sum::<u32>())
        .collect();
    assert_eq!(all.download().expect("results"), expected);
    let mut all = device.zeros::<u32>(400).expect("memory");
    narrow(&mut all).over(400).launch(device).expect("a launch");
    assert_eq!(all.download().expect("results"), [3; 400]);

    let mut y = device.zeros::<u32>(128).expect("memory");
    let launched = faulting(&x, 1000, &mut y).over(128).launch(device);
    let fault = launched.map(drop).and_then(|()| device.synchronize());
    let fault = fault.expect_err("a fault").to_string();
    assert!(
        fault.contains("block [1, 0, 0]") && fault.contains("thread [37, 0, 0]"),
        "{fault}"
    );

    for (length, stride) in [(5000, 256), (5000, 300), (77, 256), (4096, 256)] {
        let bytes: Vec<u8> = (0..length)
            .map(|i: u32| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8)
            .collect();
        let up = device.upload(&bytes).expect("memory");
        let mut all = device.zeros::<u32>(256).expect("memory");
        counts(&up, stride, &mut all)
            .grid([2, 1])
            .launch(device)
            .expect("a launch");
        let mut expected = [0u32; 256];
        for first in 0..256 {
            let mut i = first;
            while i < bytes.len() {
                if bytes[i] != 7 {
                    expected[usize::from(bytes[i])] += 1 + (i as u32 & 1);
                }
                i += stride;
            }
        }
        assert_eq!(all.download().expect("results"), expected, "{length} by {stride}");
    }

    for (begin, limit) in [(u32::MAX - 12, 20), (0, 20), (40, 20), (u32::MAX - 40, u32::MAX - 20)] {
        let mut sums = device.zeros::<u32>(32).expect("memory");
        wrapping(begin, limit, &mut sums)
            .over(32)
            .launch(device)
            .expect("a launch");
        let of_thread = |t: u32| {
            let (mut i, mut sum) = (begin.wrapping_add(t), 0u32);
            while i < limit {
                sum = sum.wrapping_add(i.wrapping_add(1));
                i = i.wrapping_add(8);
            }
            sum
        };
        let expected: Vec<u32> = (0..32).map(|t| of_thread(31 - t)).collect();
        assert_eq!(sums.download().expect("results"), expected, "{begin} to {limit}");
    }
}
