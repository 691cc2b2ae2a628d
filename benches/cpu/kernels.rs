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

/// Counts of each block in shared memory, then one addition for each of them.
#[vyre::kernel(block = 256)]
pub(crate) fn histogram_of_blocks(x: &[u8], counts: &[AtomicU32]) {
    let part = shared::<[AtomicU32; 256]>();
    let t = thread::idx().x;
    part[t].store(0, Ordering::Relaxed);
    block::sync();
    let mut i = thread::index();
    while i < x.len() {
        part[x[i] as usize].fetch_add(1, Ordering::Relaxed);
        i += grid::dim().x * 256;
    }
    block::sync();
    counts[t].fetch_add(part[t].load(Ordering::Relaxed), Ordering::Relaxed);
}

/// A sum for each block.
#[vyre::kernel(block = 256)]
pub(crate) fn dot(x: &[f32], y: &[f32], sums: &mut [f32]) {
    let mut sum = 0.0;
    let mut i = thread::index();
    while i < x.len() {
        sum += x[i] * y[i];
        i += grid::dim().x * 256;
    }
    let sum = block::sum(sum);
    if thread::idx().x == 0 {
        sums[block::idx().x] = sum;
    }
}

/// Brightness of pixels of three bytes.
#[vyre::kernel]
pub(crate) fn brightness(rgb: &[u8], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        let (red, green, blue) = (rgb[3 * i] as f32, rgb[3 * i + 1] as f32, rgb[3 * i + 2] as f32);
        y[i] = 0.299 * red + 0.587 * green + 0.114 * blue;
    }
}

/// The length of the gradient, by a window of three rows.
#[vyre::kernel(block = [32, 8])]
pub(crate) fn sobel(x: &[f32], width: usize, y: &mut [f32]) {
    let (i, j) = thread::index_2d();
    let height = x.len() / width;
    if i < width && j < height {
        let (left, right) = (i.saturating_sub(1), (i + 1).min(width - 1));
        let (above, below) = (j.saturating_sub(1) * width, (j + 1).min(height - 1) * width);
        let row = j * width;
        let gx = (x[above + right] - x[above + left])
            + 2.0 * (x[row + right] - x[row + left])
            + (x[below + right] - x[below + left]);
        let gy = (x[below + left] - x[above + left])
            + 2.0 * (x[below + i] - x[above + i])
            + (x[below + right] - x[above + right]);
        y[row + i] = (gx * gx + gy * gy).sqrt();
    }
}

/// A generation of Conway's life; cells at the border stay as they are.
#[vyre::kernel(block = [32, 8])]
pub(crate) fn life(x: &[u8], width: usize, y: &mut [u8]) {
    let (i, j) = thread::index_2d();
    if i > 0 && i < width - 1 && j > 0 && j < x.len() / width - 1 {
        let at = j * width + i;
        let (above, below) = (at - width, at + width);
        let around =
            x[above - 1] + x[above] + x[above + 1] + x[at - 1] + x[at + 1] + x[below - 1] + x[below] + x[below + 1];
        y[at] = if around == 3 || around == 2 && x[at] == 1 { 1 } else { 0 };
    }
}

/// Philox 4x32-10, four numbers a thread: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1,
/// 2, 3", SC11.
#[vyre::kernel]
pub(crate) fn philox(seed: u32, y: &mut [[u32; 4]]) {
    let i = thread::index();
    if i < y.len() {
        let [mut a, mut b, mut c, mut d] = [i as u32, 0, 0, 0];
        let (mut k, mut l) = (seed, 0u32);
        for _ in 0..10 {
            let (p, q) = (a as u64 * 0xd251_1f53, c as u64 * 0xcd9e_8d57);
            (a, b, c, d) = ((q >> 32) as u32 ^ b ^ k, q as u32, (p >> 32) as u32 ^ d ^ l, p as u32);
            (k, l) = (k.wrapping_add(0x9e37_79b9), l.wrapping_add(0xbb67_ae85));
        }
        y[i] = [a, b, c, d];
    }
}

/// SHA-256 of messages of 55 bytes at most, each padded to 16 words.
#[vyre::kernel]
pub(crate) fn sha256(messages: &[[u32; 16]], digests: &mut [[u32; 8]]) {
    const ROUNDS: [u32; 64] = [
        0x428a_2f98,
        0x7137_4491,
        0xb5c0_fbcf,
        0xe9b5_dba5,
        0x3956_c25b,
        0x59f1_11f1,
        0x923f_82a4,
        0xab1c_5ed5,
        0xd807_aa98,
        0x1283_5b01,
        0x2431_85be,
        0x550c_7dc3,
        0x72be_5d74,
        0x80de_b1fe,
        0x9bdc_06a7,
        0xc19b_f174,
        0xe49b_69c1,
        0xefbe_4786,
        0x0fc1_9dc6,
        0x240c_a1cc,
        0x2de9_2c6f,
        0x4a74_84aa,
        0x5cb0_a9dc,
        0x76f9_88da,
        0x983e_5152,
        0xa831_c66d,
        0xb003_27c8,
        0xbf59_7fc7,
        0xc6e0_0bf3,
        0xd5a7_9147,
        0x06ca_6351,
        0x1429_2967,
        0x27b7_0a85,
        0x2e1b_2138,
        0x4d2c_6dfc,
        0x5338_0d13,
        0x650a_7354,
        0x766a_0abb,
        0x81c2_c92e,
        0x9272_2c85,
        0xa2bf_e8a1,
        0xa81a_664b,
        0xc24b_8b70,
        0xc76c_51a3,
        0xd192_e819,
        0xd699_0624,
        0xf40e_3585,
        0x106a_a070,
        0x19a4_c116,
        0x1e37_6c08,
        0x2748_774c,
        0x34b0_bcb5,
        0x391c_0cb3,
        0x4ed8_aa4a,
        0x5b9c_ca4f,
        0x682e_6ff3,
        0x748f_82ee,
        0x78a5_636f,
        0x84c8_7814,
        0x8cc7_0208,
        0x90be_fffa,
        0xa450_6ceb,
        0xbef9_a3f7,
        0xc671_78f2,
    ];
    let i = thread::index();
    if i < digests.len() {
        let mut w = messages[i];
        let first = [
            0x6a09_e667,
            0xbb67_ae85,
            0x3c6e_f372,
            0xa54f_f53au32,
            0x510e_527f,
            0x9b05_688c,
            0x1f83_d9ab,
            0x5be0_cd19,
        ];
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = first;
        for round in 0..64 {
            if round >= 16 {
                let (x, y) = (w[(round + 1) % 16], w[(round + 14) % 16]);
                let (s, t) = (
                    x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3),
                    y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10),
                );
                w[round % 16] = w[round % 16]
                    .wrapping_add(s)
                    .wrapping_add(w[(round + 9) % 16])
                    .wrapping_add(t);
            }
            let s = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let one = h
                .wrapping_add(s)
                .wrapping_add((e & f) ^ (!e & g))
                .wrapping_add(ROUNDS[round])
                .wrapping_add(w[round % 16]);
            let t = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let two = t.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e) = (g, f, e, d.wrapping_add(one));
            (d, c, b, a) = (c, b, a, one.wrapping_add(two));
        }
        let last = [a, b, c, d, e, f, g, h];
        let mut digest = [0; 8];
        for k in 0..8 {
            digest[k] = first[k].wrapping_add(last[k]);
        }
        digests[i] = digest;
    }
}
