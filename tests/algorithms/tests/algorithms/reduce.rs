//! Sums: of a block by halving, of a block by warp shuffles, and of everything in one launch.

use vyre::prelude::*;
use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { ByHalves ByWarps InOneLaunch }

/// The sum of each block of 128, by halving in shared memory.
#[vyre::kernel(block = 128)]
fn by_halves(x: &[f32], sums: &mut [f32]) {
    let partial = shared::<[f32; 128]>();
    let (i, t) = (thread::index(), thread::idx().x);
    partial[t] = if i < x.len() { x[i] } else { 0.0 };
    block::sync();
    let mut half = 64;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half];
        }
        block::sync();
        half /= 2;
    }
    if t == 0 {
        sums[block::idx().x] = partial[0];
    }
}

/// The sum of each block of 128, by shuffles in its four warps and then in the first of them.
#[vyre::kernel(block = 128)]
fn by_warps(x: &[f32], sums: &mut [f32]) {
    let partial = shared::<[f32; 4]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let mut sum = if i < x.len() { x[i] } else { 0.0 };
    let mut distance = 16;
    while distance > 0 {
        sum += warp::shuffle_down(sum, distance);
        distance /= 2;
    }
    if lane::index() == 0 {
        partial[t / warp::size()] = sum;
    }
    block::sync();
    if t < warp::size() {
        let total = warp::sum(if t < 4 { partial[t] } else { 0.0 });
        if t == 0 {
            sums[block::idx().x] = total;
        }
    }
}

/// The sum of all values. Each thread adds up its own, each block the sums of its threads, and the
/// last block to finish those of the blocks, in their order.
#[vyre::kernel(block = 128)]
fn in_one_launch(x: &[f32], blocks: &[AtomicU32], finished: &[AtomicU32], total: &mut [f32]) {
    let partial = shared::<[f32; 4]>();
    let last = shared::<[bool; 1]>();
    let t = thread::idx().x;
    let stride = grid::dim().x * block::dim().x;
    let mut sum = 0.0;
    for i in (thread::index()..x.len()).step_by(stride) {
        sum += x[i];
    }
    let sum = warp::sum(sum);
    if lane::index() == 0 {
        partial[t / warp::size()] = sum;
    }
    block::sync();
    if t == 0 {
        let sum: f32 = (partial[0] + partial[1]) + (partial[2] + partial[3]);
        blocks[block::idx().x].store(sum.to_bits(), Ordering::Relaxed);
        let before = finished[0].fetch_add(1, Ordering::AcqRel);
        last[0] = before as usize == grid::dim().x - 1;
    }
    block::sync();
    if last[0] && t == 0 {
        let mut sum = 0.0;
        for b in 0..grid::dim().x {
            sum += f32::from_bits(blocks[b].load(Ordering::Relaxed));
        }
        // One block is the last.
        store::relaxed(&mut total[0], sum);
    }
}

/// The sum of a power of two of values, the second half added to the first until one is left.
fn halved(mut values: Vec<f32>) -> f32 {
    while values.len() > 1 {
        let half = values.len() / 2;
        values = (0..half).map(|i| values[i] + values[i + half]).collect();
    }
    values[0]
}

/// The values of `range`, padded with 0.
fn padded(values: &[f32], range: std::ops::Range<usize>) -> Vec<f32> {
    range.map(|i| values.get(i).copied().unwrap_or(0.0)).collect()
}

const LENGTHS: [usize; 9] = [0, 1, 31, 32, 33, 127, 128, 129, 1000];

#[test]
fn sums_of_blocks() {
    everywhere(|place| {
        for length in LENGTHS {
            let values = Random::new(2).floats(length, -1.0, 1.0);
            let x = place.device().upload(&values)?;
            let blocks = length.div_ceil(128);
            let mut sums = place.device().zeros::<f32>(blocks)?;
            place.over(by_halves(&x, &mut sums), length)?;
            let expected: Vec<f32> = (0..blocks)
                .map(|block| halved(padded(&values, block * 128..block * 128 + 128)))
                .collect();
            assert_eq!(bits(&sums.download()?), bits(&expected), "{length} by halves");

            place.over(by_warps(&x, &mut sums), length)?;
            let expected: Vec<f32> = (0..blocks)
                .map(|block| {
                    let warp = |first: usize| halved(padded(&values, first..first + 32));
                    let warps = (0..4).map(|w| warp(block * 128 + w * 32)).collect();
                    // The 28 lanes without a warp contribute 0, which changes only the sign of -0.
                    halved(warps) + 0.0
                })
                .collect();
            assert_eq!(bits(&sums.download()?), bits(&expected), "{length} by warps");
        }
        Ok(())
    });
}

#[test]
fn sums_of_everything() {
    everywhere(|place| {
        for (length, blocks) in LENGTHS.into_iter().zip([1, 2, 3].into_iter().cycle()) {
            let values = Random::new(3).floats(length, -1.0, 1.0);
            let x = place.device().upload(&values)?;
            let mut sums = place.device().zeros::<u32>(blocks)?;
            let mut finished = place.device().zeros::<u32>(1)?;
            let mut total = place.device().zeros::<f32>(1)?;
            let kernel = in_one_launch(&x, &mut sums, &mut finished, &mut total);
            place.grid(kernel, [blocks as u32, 1, 1])?;

            let thread = |first: usize| {
                let own = values.iter().skip(first).step_by(blocks * 128);
                own.fold(0.0, |sum, value| sum + value)
            };
            let warp = |first: usize| halved((first..first + 32).map(thread).collect());
            let block = |b: usize| {
                let [w, x, y, z] = [0, 32, 64, 96].map(|first| warp(b * 128 + first));
                (w + x) + (y + z)
            };
            let expected = (0..blocks).map(block).fold(0.0, |sum, value| sum + value);
            assert_eq!(
                bits(&total.download()?),
                bits(&[expected]),
                "{length} in {blocks} blocks"
            );
        }
        Ok(())
    });
}
