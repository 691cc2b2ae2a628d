//! The kernels that are timed.

use vyre::prelude::*;

#[vyre::kernel]
pub(crate) fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

/// The mean of 17 neighbours in a row.
#[vyre::kernel]
pub(crate) fn blur_rows(x: &[f32], width: usize, y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        let (row, column) = (i / width, i % width);
        let mut sum = 0.0;
        for d in 0..17 {
            sum += x[row * width + (column + d).saturating_sub(8).min(width - 1)];
        }
        y[i] = sum / 17.0;
    }
}

/// The same in a column.
#[vyre::kernel]
pub(crate) fn blur_columns(x: &[f32], width: usize, y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        let (row, column) = (i / width, i % width);
        let mut sum = 0.0;
        for d in 0..17 {
            sum += x[(row + d).saturating_sub(8).min(y.len() / width - 1) * width + column];
        }
        y[i] = sum / 17.0;
    }
}

#[vyre::kernel(block = [16, 16])]
pub(crate) fn product(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
    let (column, row) = thread::index_2d();
    if row < n && column < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

#[vyre::kernel(block = [16, 16])]
pub(crate) fn product_tiled(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
    let left = shared::<[[f32; 16]; 16]>();
    let right = shared::<[[f32; 16]; 16]>();
    let (column, row) = thread::index_2d();
    let (x, y) = (thread::idx().x, thread::idx().y);
    let mut sum = 0.0;
    for tile in 0..n / 16 {
        left[y][x] = a[row * n + tile * 16 + x];
        right[y][x] = b[(tile * 16 + y) * n + column];
        block::sync();
        for k in 0..16 {
            sum += left[y][k] * right[k][x];
        }
        block::sync();
    }
    c[row * n + column] = sum;
}

#[vyre::kernel]
pub(crate) fn histogram(x: &[u8], counts: &[AtomicU32]) {
    let i = thread::index();
    if i < x.len() {
        counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
}

/// A row per warp.
#[vyre::kernel(block = 256)]
pub(crate) fn layer_norm(x: &[f32], width: usize, y: &mut [f32]) {
    let (row, lane) = (thread::index() / 32, thread::index() % 32);
    let mut sum = 0.0f32;
    let mut i = lane;
    while i < width {
        sum += x[row * width + i];
        i += 32;
    }
    let mean = warp::sum(sum) / width as f32;
    let mut squares = 0.0f32;
    let mut i = lane;
    while i < width {
        let d = x[row * width + i] - mean;
        squares += d * d;
        i += 32;
    }
    let scale = 1.0 / (warp::sum(squares) / width as f32 + 1e-5).sqrt();
    let mut i = lane;
    while i < width {
        y[row * width + i] = (x[row * width + i] - mean) * scale;
        i += 32;
    }
}

/// Hillis-Steele: 17 barriers.
#[vyre::kernel(block = 256)]
pub(crate) fn scan(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 256]>();
    let (i, t) = (thread::index(), thread::idx().x);
    cells[t] = x[i];
    block::sync();
    let mut distance = 1;
    while distance < 256 {
        let below = if t >= distance { cells[t - distance] } else { 0 };
        block::sync();
        cells[t] += below;
        block::sync();
        distance *= 2;
    }
    y[i] = cells[t];
}

/// The sums of the blocks, by shuffles and two barriers.
#[vyre::kernel(block = 256)]
pub(crate) fn block_sums(x: &[f32], y: &mut [f32]) {
    let sum = block::sum(x[thread::index()]);
    if thread::idx().x == 0 {
        y[block::idx().x] = sum;
    }
}

#[vyre::kernel(block = [32, 8])]
pub(crate) fn transpose(x: &[f32], n: usize, y: &mut [f32]) {
    let tile = shared::<[[f32; 33]; 32]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (left, top) = (block::idx().x * 32, block::idx().y * 32);
    for step in 0..4 {
        tile[ty + 8 * step][tx] = x[(top + ty + 8 * step) * n + left + tx];
    }
    block::sync();
    for step in 0..4 {
        y[(left + ty + 8 * step) * n + top + tx] = tile[tx][ty + 8 * step];
    }
}

/// Accelerations of bodies, by tiles in shared memory.
#[vyre::kernel(block = 128)]
pub(crate) fn bodies(positions: &[[f32; 4]], forces: &mut [[f32; 4]]) {
    let tile = shared::<[[f32; 4]; 128]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let [x, y, z, _] = positions[i];
    let (mut fx, mut fy, mut fz) = (0.0f32, 0.0, 0.0);
    for first in 0..positions.len() / 128 {
        tile[t] = positions[first * 128 + t];
        block::sync();
        for j in 0..128 {
            let [ox, oy, oz, mass] = tile[j];
            let (dx, dy, dz) = (ox - x, oy - y, oz - z);
            let r = dx * dx + dy * dy + dz * dz + 0.01;
            let s = mass / (r * r.sqrt());
            fx += dx * s;
            fy += dy * s;
            fz += dz * s;
        }
        block::sync();
    }
    forces[i] = [fx, fy, fz, 0.0];
}

#[vyre::kernel(block = [16, 16])]
pub(crate) fn mandelbrot(width: usize, y: &mut [u32]) {
    let (column, row) = thread::index_2d();
    let (cx, cy) = (column as f32 / 256.0 - 2.0, row as f32 / 256.0 - 1.0);
    let (mut a, mut b, mut steps) = (0.0f32, 0.0f32, 0);
    while a * a + b * b < 4.0 && steps < 100 {
        (a, b) = (a * a - b * b + cx, 2.0 * a * b + cy);
        steps += 1;
    }
    y[row * width + column] = steps;
}

/// A row per block.
#[vyre::kernel(block = 256)]
pub(crate) fn softmax(x: &[f32], width: usize, y: &mut [f32]) {
    let (row, t) = (block::idx().x, thread::idx().x);
    let mut most = f32::NEG_INFINITY;
    let mut i = t;
    while i < width {
        most = most.max(x[row * width + i]);
        i += 256;
    }
    let most = block::max(most);
    let mut sum = 0.0;
    let mut i = t;
    while i < width {
        sum += (x[row * width + i] - most).exp();
        i += 256;
    }
    let scale = 1.0 / block::sum(sum);
    let mut i = t;
    while i < width {
        y[row * width + i] = (x[row * width + i] - most).exp() * scale;
        i += 256;
    }
}

/// Seven points of three dimensions.
#[vyre::kernel(block = [32, 4, 2])]
pub(crate) fn stencil(x: &[f32], n: usize, y: &mut [f32]) {
    let (i, j, k) = thread::index_3d();
    if i > 0 && i < n - 1 && j > 0 && j < n - 1 && k > 0 && k < n - 1 {
        let at = (k * n + j) * n + i;
        let sum = x[at - 1] + x[at + 1] + x[at - n] + x[at + n] + x[at - n * n] + x[at + n * n];
        y[at] = 0.4 * x[at] + 0.1 * sum;
    }
}

/// Bitonic, within a block.
#[vyre::kernel(block = 256)]
pub(crate) fn sort_blocks(x: &mut [u32]) {
    let keys = shared::<[u32; 256]>();
    let (i, t) = (thread::index(), thread::idx().x);
    keys[t] = x[i];
    block::sync();
    let mut size = 2;
    while size <= 256 {
        let mut distance = size / 2;
        while distance > 0 {
            let other = t ^ distance;
            if other > t {
                let (a, b) = (keys[t], keys[other]);
                if (a > b) == (t & size == 0) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
            block::sync();
            distance /= 2;
        }
        size *= 2;
    }
    x[i] = keys[t];
}

/// Hashes of numbers, some rounds each.
#[vyre::kernel]
pub(crate) fn hashes(seed: u32, y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        let mut h = seed ^ i as u32;
        for _ in 0..16 {
            h = (h ^ (h >> 16)).wrapping_mul(0x7feb_352d);
            h = (h ^ (h >> 15)).wrapping_mul(0x846c_a68b);
            h ^= h >> 16;
        }
        y[i] = h;
    }
}
