//! Sums, scans and sorts of blocks: by `vyre::block`, and by shuffles of warps that are written by hand. `collectives.cu` has
//! the same by shuffles and by CUB.

use vyre::prelude::*;

/// Each value over the sum of its block, several times.
#[vyre::kernel(block = 256)]
pub fn sums(values: &mut [f32], rounds: u32) {
    let i = thread::index();
    let mut value = values[i];
    for _ in 0..rounds {
        value = value - 0.001 * block::sum(value);
    }
    values[i] = value;
}

/// The same by hand: each warp by shuffles, then the first warp over the results of all.
#[vyre::kernel(block = 256)]
pub fn sums_by_hand(values: &mut [f32], rounds: u32) {
    let i = thread::index();
    let warps = shared::<[f32; 8]>();
    let t = thread::idx().x;
    let mut value = values[i];
    for _ in 0..rounds {
        let mut sum = value;
        for k in 0..5 {
            sum += warp::shuffle_xor(sum, 16 >> k);
        }
        if t.is_multiple_of(32) {
            warps[t / 32] = sum;
        }
        block::sync();
        let mut sum = warps[0];
        for warp in 1..8 {
            sum += warps[warp];
        }
        value -= 0.001 * sum;
        block::sync();
    }
    values[i] = value;
}

/// The inclusive sums of a block, several times.
#[vyre::kernel(block = 256)]
pub fn scans(values: &mut [u32], rounds: u32) {
    let i = thread::index();
    let mut value = values[i];
    for _ in 0..rounds {
        value = block::inclusive_sum(value) ^ value;
    }
    values[i] = value;
}

/// The same by hand.
#[vyre::kernel(block = 256)]
pub fn scans_by_hand(values: &mut [u32], rounds: u32) {
    let i = thread::index();
    let warps = shared::<[u32; 8]>();
    let t = thread::idx().x;
    let mut value = values[i];
    for _ in 0..rounds {
        let mut sum = value;
        for k in 0..5 {
            let below = warp::shuffle_up(sum, 1 << k);
            if t % 32 >= 1 << k {
                sum += below;
            }
        }
        if t % 32 == 31 {
            warps[t / 32] = sum;
        }
        block::sync();
        let mut before = 0;
        for warp in 0..7 {
            if warp < t / 32 {
                before += warps[warp];
            }
        }
        value ^= before + sum;
        block::sync();
    }
    values[i] = value;
}

/// The keys of a block in order, several times.
#[vyre::kernel(block = 256)]
pub fn sorts(values: &mut [u32], rounds: u32) {
    let i = thread::index();
    let mut value = values[i];
    for _ in 0..rounds {
        value = block::sort(value) * 2654435761;
    }
    values[i] = value;
}

/// The same of four keys a thread.
#[vyre::kernel(block = 256)]
pub fn sorts_of_four(values: &mut [[u32; 4]], rounds: u32) {
    let i = thread::index();
    let mut own = values[i];
    for _ in 0..rounds {
        own = block::sort_items(own);
        for k in 0..4 {
            own[k] *= 2654435761;
        }
    }
    values[i] = own;
}
