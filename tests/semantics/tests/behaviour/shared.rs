//! Shared memory and barriers.

use core::sync::atomic::{AtomicU32, Ordering};
use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! {
    Transpose SumBlocks ScanBlocks EarlyReturn Rotate TwoTiles Bytes Histogram TotalOfBlock Stencil Ping LeaveOneByOne
}

#[vyre::kernel(block = [32, 8])]
fn transpose(source: &[f32], target: &mut [f32], width: usize, height: usize) {
    let tile = shared::<[[f32; 33]; 32]>();
    let (across, down) = (thread::idx().x, thread::idx().y);
    let (left, top) = (block::idx().x * 32, block::idx().y * 32);
    for k in 0..4 {
        let row = down + k * 8;
        if left + across < width && top + row < height {
            tile[row][across] = source[(top + row) * width + left + across];
        }
    }
    block::sync();
    for k in 0..4 {
        let row = down + k * 8;
        if top + across < height && left + row < width {
            target[(left + row) * height + top + across] = tile[across][row];
        }
    }
}

#[test]
fn transposes() {
    everywhere(|place| {
        for (width, height) in [(32, 32), (64, 32), (1, 1), (33, 31), (70, 45)] {
            let source: Vec<f32> = (0..width * height).map(|k| k as f32 * 0.5).collect();
            let read = place.device().upload(&source)?;
            let mut written = place.device().zeros::<f32>(width * height)?;
            let blocks = [width.div_ceil(32) as u32, height.div_ceil(32) as u32, 1];
            place.grid(transpose(&read, &mut written, width, height), blocks)?;
            let got = written.download()?;
            for y in 0..height {
                for x in 0..width {
                    assert_eq!(
                        got[x * height + y],
                        source[y * width + x],
                        "{width} x {height} at {x}, {y}"
                    );
                }
            }
        }
        Ok(())
    });
}

/// The sum of each block by halves.
#[vyre::kernel(block = 128)]
fn sum_blocks(x: &[u32], sums: &mut [u32]) {
    let partial = shared::<[u32; 128]>();
    let t = thread::idx().x;
    let i = thread::index();
    partial[t] = if i < x.len() { x[i] } else { 0 };
    block::sync();
    let mut half = block::dim().x / 2;
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

#[test]
fn sums() {
    everywhere(|place| {
        for count in [1usize, 127, 128, 129, 1000] {
            let x: Vec<u32> = (0..count as u32).map(|k| k.wrapping_mul(0x9e37_79b9)).collect();
            let blocks = count.div_ceil(128);
            let mut sums = place.device().zeros::<u32>(blocks)?;
            place.over(sum_blocks(&place.device().upload(&x)?, &mut sums), count)?;
            let expected: Vec<u32> = x
                .chunks(128)
                .map(|block| block.iter().fold(0u32, |sum, &v| sum.wrapping_add(v)))
                .collect();
            assert_eq!(sums.download()?, expected);
        }
        Ok(())
    });
}

/// An inclusive scan of each block, from one buffer of shared memory to another.
#[vyre::kernel(block = 64, allow(races))] // one of two buffers, at an index less `reach`
fn scan_blocks(x: &mut [f32]) {
    let sums = shared::<[[f32; 64]; 2]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let mut from = 0;
    sums[from][t] = if i < x.len() { x[i] } else { 0.0 };
    block::sync();
    let mut reach = 1;
    while reach < 64 {
        let to = 1 - from;
        let mut sum = sums[from][t];
        if t >= reach {
            sum += sums[from][t - reach];
        }
        sums[to][t] = sum;
        from = to;
        reach *= 2;
        block::sync();
    }
    if i < x.len() {
        x[i] = sums[from][t];
    }
}

#[test]
fn scans() {
    everywhere(|place| {
        let x: Vec<f32> = (0..150).map(|k| ((k * 7) % 13) as f32).collect();
        let mut scanned = place.device().upload(&x)?;
        place.over(scan_blocks(&mut scanned), x.len())?;
        let expected = x.chunks(64).flat_map(|block| {
            block.iter().scan(0.0, |sum, v| {
                *sum += v;
                Some(*sum)
            })
        });
        assert_eq!(scanned.download()?, expected.collect::<Vec<f32>>());
        Ok(())
    });
}

/// Threads past the end leave before the barrier; those that stay meet there.
#[vyre::kernel(block = 64)]
fn early_return(x: &[u32], y: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    if i >= x.len() {
        return;
    }
    tile[t] = x[i];
    block::sync();
    let stayed = (x.len() - block::idx().x * 64).min(64);
    y[i] = tile[(t + 1) % stayed];
}

#[test]
fn threads_that_left_do_not_hold_the_barrier() {
    everywhere(|place| {
        for count in [1usize, 63, 64, 65, 100] {
            let x: Vec<u32> = (100..100 + count as u32).collect();
            let mut y = place.device().zeros::<u32>(count)?;
            place.over(early_return(&place.device().upload(&x)?, &mut y), count)?;
            let expected: Vec<u32> = x
                .chunks(64)
                .flat_map(|block| (0..block.len()).map(|t| block[(t + 1) % block.len()]))
                .collect();
            assert_eq!(y.download()?, expected, "{count} threads");
        }
        Ok(())
    });
}

/// In each iteration one more thread has exited.
#[vyre::kernel(block = 32, allow(races))] // threads that have left miss barriers
fn leave_one_by_one(rounds: &mut [u32]) {
    let count = shared::<[u32; 32]>();
    let t = thread::idx().x;
    count[t] = 0;
    for round in 0..32 {
        if t == round {
            break;
        }
        count[t] += 1;
        block::sync();
    }
    if t < rounds.len() {
        rounds[t] = count[t];
    }
}

#[test]
fn threads_leave_one_by_one() {
    everywhere(|place| {
        let mut rounds = place.device().zeros::<u32>(32)?;
        // A thread that leaves the loop exits the kernel soon after, so the barriers of the others
        // remain the same one.
        place.grid(leave_one_by_one(&mut rounds), [1, 1, 1])?;
        assert_eq!(rounds.download()?, (0..32).collect::<Vec<u32>>());
        Ok(())
    });
}

/// Rotates the elements of each block, several times, with a barrier on either side of each write.
#[vyre::kernel(block = [8, 4])]
fn rotate(x: &mut [u64], rounds: u32) {
    let tile = shared::<[u64; 32]>();
    let t = thread::idx().y * 8 + thread::idx().x;
    let base = (block::idx().y * grid::dim().x + block::idx().x) * 32;
    tile[t] = x[base + t];
    for _ in 0..rounds {
        block::sync();
        let next = tile[(t + 1) % 32];
        block::sync();
        tile[t] = next;
    }
    x[base + t] = tile[t];
}

#[test]
fn rotates() {
    everywhere(|place| {
        let x: Vec<u64> = (0..32 * 6).map(|k| k * k).collect();
        let mut rotated = place.device().upload(&x)?;
        place.grid(rotate(&mut rotated, 5), [3, 2, 1])?;
        let expected: Vec<u64> = x
            .chunks(32)
            .flat_map(|block| (0..32).map(|t| block[(t + 5) % 32]))
            .collect();
        assert_eq!(rotated.download()?, expected);
        Ok(())
    });
}

#[vyre::kernel(block = 32)]
fn two_tiles(x: &[f64], y: &mut [f64]) {
    let first = shared::<[f64; 32]>();
    let second = shared::<[u8; 32]>();
    let t = thread::idx().x;
    first[t] = x[t] * 2.0;
    second[31 - t] = t as u8;
    block::sync();
    y[t] = first[second[t] as usize] + second[t] as f64;
}

#[vyre::kernel(block = 32)]
fn bytes(x: &[i8], y: &mut [i16], flags: &mut [bool]) {
    let small = shared::<[i8; 32]>();
    let wide = shared::<[i16; 32]>();
    let set = shared::<[bool; 32]>();
    let t = thread::idx().x;
    small[t] = x[t];
    wide[t] = x[t] as i16 * 3;
    set[t] = x[t] < 0;
    block::sync();
    let o = 31 - t;
    y[t] = small[o] as i16 + wide[o];
    flags[t] = set[o];
}

#[test]
fn tiles_of_several_types() {
    everywhere(|place| {
        let x: Vec<f64> = (0..32).map(|k| k as f64 / 3.0).collect();
        let mut y = place.device().zeros::<f64>(32)?;
        place.grid(two_tiles(&place.device().upload(&x)?, &mut y), [1, 1, 1])?;
        let expected: Vec<f64> = (0..32).map(|t| x[31 - t] * 2.0 + (31 - t) as f64).collect();
        assert_eq!(y.download()?, expected);

        let x: Vec<i8> = (-16..16).map(|k| k * 8).collect();
        let (mut y, mut flags) = (place.device().zeros::<i16>(32)?, place.device().zeros::<bool>(32)?);
        place.grid(bytes(&place.device().upload(&x)?, &mut y, &mut flags), [1, 1, 1])?;
        assert_eq!(
            y.download()?,
            x.iter().rev().map(|&v| i16::from(v) * 4).collect::<Vec<_>>()
        );
        assert_eq!(flags.download()?, x.iter().rev().map(|&v| v < 0).collect::<Vec<_>>());
        Ok(())
    });
}

/// A histogram of bytes: counted in shared memory first, then added to the whole.
#[vyre::kernel(block = 128)]
fn histogram(x: &[u8], counts: &[AtomicU32]) {
    let local = shared::<[AtomicU32; 256]>();
    let t = thread::idx().x;
    local[t].store(0, Ordering::Relaxed);
    local[t + 128].store(0, Ordering::Relaxed);
    block::sync();
    let i = thread::index();
    if i < x.len() {
        local[x[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
    block::sync();
    counts[t].fetch_add(local[t].load(Ordering::Relaxed), Ordering::Relaxed);
    counts[t + 128].fetch_add(local[t + 128].load(Ordering::Relaxed), Ordering::Relaxed);
}

#[test]
fn counts_bytes() {
    everywhere(|place| {
        let x: Vec<u8> = (0..1000u32).map(|k| ((k * k) >> 3) as u8).collect();
        let mut counts = place.device().zeros::<u32>(256)?;
        place.over(histogram(&place.device().upload(&x)?, &mut counts), x.len())?;
        let mut expected = vec![0; 256];
        for &v in &x {
            expected[v as usize] += 1;
        }
        assert_eq!(counts.download()?, expected);
        Ok(())
    });
}

/// One value that the whole block reads.
#[vyre::kernel(block = 64)]
fn total_of_block(x: &[u32], y: &mut [u32]) {
    let total = shared::<[u32; 1]>();
    let i = thread::index();
    if thread::idx().x == 0 {
        let mut sum = 0;
        for k in i..(i + 64).min(x.len()) {
            sum += x[k];
        }
        total[0] = sum;
    }
    block::sync();
    if i < y.len() {
        y[i] = total[0] - x[i];
    }
}

#[test]
fn one_value_for_all() {
    everywhere(|place| {
        let x: Vec<u32> = (1..=150).collect();
        let mut y = place.device().zeros::<u32>(x.len())?;
        place.over(total_of_block(&place.device().upload(&x)?, &mut y), x.len())?;
        let expected: Vec<u32> = x
            .chunks(64)
            .flat_map(|block| block.iter().map(|v| block.iter().sum::<u32>() - v))
            .collect();
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

/// A stencil with its halo in shared memory.
#[vyre::kernel(block = [16, 16])]
fn stencil(x: &[f32], y: &mut [f32], width: usize, height: usize) {
    let tile = shared::<[[f32; 18]; 18]>();
    let (column, row) = thread::index_2d();
    let (across, down) = (thread::idx().x, thread::idx().y);
    let mut k = down * 16 + across;
    while k < 18 * 18 {
        let (dx, dy) = (k % 18, k / 18);
        let (sx, sy) = (block::idx().x * 16 + dx, block::idx().y * 16 + dy);
        tile[dy][dx] = if sx >= 1 && sy >= 1 && sx <= width && sy <= height {
            x[(sy - 1) * width + sx - 1]
        } else {
            0.0
        };
        k += 256;
    }
    block::sync();
    if column >= width || row >= height {
        return;
    }
    let mut sum = 0.0;
    for dy in 0..3 {
        for dx in 0..3 {
            sum += tile[down + dy][across + dx];
        }
    }
    y[row * width + column] = sum;
}

#[test]
fn stencils() {
    everywhere(|place| {
        let (width, height) = (37, 21);
        let x: Vec<f32> = (0..width * height).map(|k| ((k * 31) % 17) as f32).collect();
        let mut y = place.device().zeros::<f32>(x.len())?;
        place.over(
            stencil(&place.device().upload(&x)?, &mut y, width, height),
            [width, height],
        )?;
        let got = y.download()?;
        for row in 0..height {
            for column in 0..width {
                let mut sum = 0.0;
                for sy in row.saturating_sub(1)..(row + 2).min(height) {
                    for sx in column.saturating_sub(1)..(column + 2).min(width) {
                        sum += x[sy * width + sx];
                    }
                }
                assert_eq!(got[row * width + column], sum, "at {column}, {row}");
            }
        }
        Ok(())
    });
}

/// A barrier inside a branch that all threads of a block take, or none.
#[vyre::kernel(block = 32)]
fn ping(x: &mut [u32]) {
    let tile = shared::<[u32; 32]>();
    let (i, t) = (thread::index(), thread::idx().x);
    tile[t] = x[i];
    if block::idx().x % 2 == 1 {
        block::sync();
        let other = tile[t ^ 1];
        block::sync();
        tile[t] = other + 1000;
    }
    x[i] = tile[t];
}

#[test]
fn barriers_in_a_branch_of_the_whole_block() {
    everywhere(|place| {
        let x: Vec<u32> = (0..128).collect();
        let mut y = place.device().upload(&x)?;
        place.over(ping(&mut y), x.len())?;
        let expected: Vec<u32> = x
            .iter()
            .map(|&v| if (v / 32) % 2 == 1 { (v ^ 1) + 1000 } else { v })
            .collect();
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}
