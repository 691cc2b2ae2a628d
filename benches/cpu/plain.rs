//! The same computations as plain Rust, in the form that one writes first.

pub(crate) fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

pub(crate) fn blur_rows(x: &[f32], width: usize, y: &mut [f32]) {
    for (row, (x, y)) in x.chunks(width).zip(y.chunks_mut(width)).enumerate() {
        let _ = row;
        for (column, y) in y.iter_mut().enumerate() {
            let taps = (0..17).map(|d| x[(column + d).saturating_sub(8).min(width - 1)]);
            *y = taps.fold(0.0, |sum, x| sum + x) / 17.0;
        }
    }
}

pub(crate) fn blur_columns(x: &[f32], width: usize, y: &mut [f32]) {
    let height = y.len() / width;
    for (row, y) in y.chunks_mut(width).enumerate() {
        for (column, y) in y.iter_mut().enumerate() {
            let taps = (0..17).map(|d| x[(row + d).saturating_sub(8).min(height - 1) * width + column]);
            *y = taps.fold(0.0, |sum, x| sum + x) / 17.0;
        }
    }
}

pub(crate) fn product(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
    for row in 0..n {
        for column in 0..n {
            c[row * n + column] = (0..n).fold(0.0, |sum, k| sum + a[row * n + k] * b[k * n + column]);
        }
    }
}

pub(crate) fn histogram(x: &[u8], counts: &mut [u32]) {
    for &x in x {
        counts[usize::from(x)] += 1;
    }
}

pub(crate) fn layer_norm(x: &[f32], width: usize, y: &mut [f32]) {
    for (x, y) in x.chunks(width).zip(y.chunks_mut(width)) {
        let mean = x.iter().sum::<f32>() / width as f32;
        let squares: f32 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
        let scale = 1.0 / (squares / width as f32 + 1e-5).sqrt();
        for (y, x) in y.iter_mut().zip(x) {
            *y = (x - mean) * scale;
        }
    }
}

pub(crate) fn scan(x: &[u32], y: &mut [u32]) {
    for (x, y) in x.chunks(256).zip(y.chunks_mut(256)) {
        let mut sum = 0u32;
        for (y, x) in y.iter_mut().zip(x) {
            sum = sum.wrapping_add(*x);
            *y = sum;
        }
    }
}

pub(crate) fn block_sums(x: &[f32], y: &mut [f32]) {
    for (y, x) in y.iter_mut().zip(x.chunks(256)) {
        *y = x.iter().sum();
    }
}

pub(crate) fn transpose(x: &[f32], n: usize, y: &mut [f32]) {
    for row in 0..n {
        for column in 0..n {
            y[column * n + row] = x[row * n + column];
        }
    }
}

pub(crate) fn bodies(positions: &[[f32; 4]], forces: &mut [[f32; 4]]) {
    for (&[x, y, z, _], force) in positions.iter().zip(forces) {
        let (mut fx, mut fy, mut fz) = (0.0f32, 0.0, 0.0);
        for &[ox, oy, oz, mass] in positions {
            let (dx, dy, dz) = (ox - x, oy - y, oz - z);
            let r = dx * dx + dy * dy + dz * dz + 0.01;
            let s = mass / (r * r.sqrt());
            fx += dx * s;
            fy += dy * s;
            fz += dz * s;
        }
        *force = [fx, fy, fz, 0.0];
    }
}

pub(crate) fn mandelbrot(width: usize, y: &mut [u32]) {
    for (row, y) in y.chunks_mut(width).enumerate() {
        for (column, y) in y.iter_mut().enumerate() {
            let (cx, cy) = (column as f32 / 256.0 - 2.0, row as f32 / 256.0 - 1.0);
            let (mut a, mut b, mut steps) = (0.0f32, 0.0f32, 0);
            while a * a + b * b < 4.0 && steps < 100 {
                (a, b) = (a * a - b * b + cx, 2.0 * a * b + cy);
                steps += 1;
            }
            *y = steps;
        }
    }
}

pub(crate) fn softmax(x: &[f32], width: usize, y: &mut [f32]) {
    for (x, y) in x.chunks(width).zip(y.chunks_mut(width)) {
        let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = x.iter().map(|x| (x - most).exp()).sum();
        for (y, x) in y.iter_mut().zip(x) {
            *y = (x - most).exp() / sum;
        }
    }
}

pub(crate) fn stencil(x: &[f32], n: usize, y: &mut [f32]) {
    for k in 1..n - 1 {
        for j in 1..n - 1 {
            for i in 1..n - 1 {
                let at = (k * n + j) * n + i;
                let sum = x[at - 1] + x[at + 1] + x[at - n] + x[at + n] + x[at - n * n] + x[at + n * n];
                y[at] = 0.4 * x[at] + 0.1 * sum;
            }
        }
    }
}

pub(crate) fn sort_blocks(x: &mut [u32]) {
    for x in x.chunks_mut(256) {
        x.sort_unstable();
    }
}

pub(crate) fn hashes(seed: u32, y: &mut [u32]) {
    for (i, y) in y.iter_mut().enumerate() {
        let mut h = seed ^ i as u32;
        for _ in 0..16 {
            h = (h ^ (h >> 16)).wrapping_mul(0x7feb_352d);
            h = (h ^ (h >> 15)).wrapping_mul(0x846c_a68b);
            h ^= h >> 16;
        }
        *y = h;
    }
}

pub(crate) fn dot(x: &[f32], y: &[f32]) -> f32 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

pub(crate) fn brightness(rgb: &[u8], y: &mut [f32]) {
    for (y, rgb) in y.iter_mut().zip(rgb.chunks_exact(3)) {
        *y = 0.299 * f32::from(rgb[0]) + 0.587 * f32::from(rgb[1]) + 0.114 * f32::from(rgb[2]);
    }
}

pub(crate) fn sobel(x: &[f32], width: usize, y: &mut [f32]) {
    let height = x.len() / width;
    for j in 0..height {
        let (above, below) = (j.saturating_sub(1) * width, (j + 1).min(height - 1) * width);
        let row = j * width;
        for i in 0..width {
            let (left, right) = (i.saturating_sub(1), (i + 1).min(width - 1));
            let gx = (x[above + right] - x[above + left])
                + 2.0 * (x[row + right] - x[row + left])
                + (x[below + right] - x[below + left]);
            let gy = (x[below + left] - x[above + left])
                + 2.0 * (x[below + i] - x[above + i])
                + (x[below + right] - x[above + right]);
            y[row + i] = (gx * gx + gy * gy).sqrt();
        }
    }
}

pub(crate) fn life(x: &[u8], width: usize, y: &mut [u8]) {
    for j in 1..x.len() / width - 1 {
        for i in 1..width - 1 {
            let at = j * width + i;
            let (above, below) = (at - width, at + width);
            let around =
                x[above - 1] + x[above] + x[above + 1] + x[at - 1] + x[at + 1] + x[below - 1] + x[below] + x[below + 1];
            y[at] = u8::from(around == 3 || around == 2 && x[at] == 1);
        }
    }
}

pub(crate) fn philox(seed: u32, y: &mut [[u32; 4]]) {
    for (i, y) in y.iter_mut().enumerate() {
        let (mut x, mut key) = ([i as u32, 0, 0, 0], [seed, 0]);
        for _ in 0..10 {
            let (p, q) = (u64::from(x[0]) * 0xd251_1f53, u64::from(x[2]) * 0xcd9e_8d57);
            x = [
                (q >> 32) as u32 ^ x[1] ^ key[0],
                q as u32,
                (p >> 32) as u32 ^ x[3] ^ key[1],
                p as u32,
            ];
            key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
        }
        *y = x;
    }
}

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

pub(crate) fn sha256(messages: &[[u32; 16]], digests: &mut [[u32; 8]]) {
    let first: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    for (message, digest) in messages.iter().zip(digests) {
        let mut w = [0u32; 64];
        w[..16].copy_from_slice(message);
        for k in 16..64 {
            let (x, y) = (w[k - 15], w[k - 2]);
            let s = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
            let t = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
            w[k] = w[k - 16].wrapping_add(s).wrapping_add(w[k - 7]).wrapping_add(t);
        }
        let mut state = first;
        for (k, w) in ROUNDS.iter().zip(w) {
            let [a, b, c, d, e, f, g, h] = state;
            let s = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let one = h
                .wrapping_add(s)
                .wrapping_add((e & f) ^ (!e & g))
                .wrapping_add(*k)
                .wrapping_add(w);
            let t = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let two = t.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            state = [one.wrapping_add(two), a, b, c, d.wrapping_add(one), e, f, g];
        }
        for ((digest, first), last) in digest.iter_mut().zip(first).zip(state) {
            *digest = first.wrapping_add(last);
        }
    }
}

/// Plain Rust that computes as the kernels do, where that is not what one writes on a CPU.
pub(crate) mod twins {
    use std::sync::atomic::{AtomicU32, Ordering};

    /// An atomic addition for each element, since kernels of other threads may count too.
    pub(crate) fn histogram(x: &[u8], counts: &[AtomicU32]) {
        for &x in x {
            counts[usize::from(x)].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Hillis and Steele: eight passes.
    pub(crate) fn scan(x: &[u32], y: &mut [u32]) {
        for (x, y) in x.chunks_exact(256).zip(y.chunks_exact_mut(256)) {
            let mut cells = [0u32; 256];
            cells.copy_from_slice(x);
            let mut distance = 1;
            while distance < 256 {
                let before = cells;
                for (cell, below) in cells[distance..].iter_mut().zip(&before) {
                    *cell = cell.wrapping_add(*below);
                }
                distance *= 2;
            }
            y.copy_from_slice(&cells);
        }
    }

    /// Butterflies of 32, then the sums of these.
    pub(crate) fn block_sums(x: &[f32], y: &mut [f32]) {
        for (y, x) in y.iter_mut().zip(x.chunks_exact(256)) {
            let sums = x.chunks_exact(32).map(|x| {
                let mut values = [0.0; 32];
                values.copy_from_slice(x);
                for distance in [1, 2, 4, 8, 16] {
                    let before = values;
                    for (lane, value) in values.iter_mut().enumerate() {
                        *value = before[lane] + before[lane ^ distance];
                    }
                }
                values[0]
            });
            *y = sums.reduce(|sum, x| sum + x).unwrap_or_default();
        }
    }

    /// A bitonic network.
    pub(crate) fn sort_blocks(x: &mut [u32]) {
        for x in x.chunks_exact_mut(256) {
            let mut size = 2;
            while size <= 256 {
                let mut distance = size / 2;
                while distance > 0 {
                    for t in 0..256 {
                        let other = t ^ distance;
                        if other > t && (x[t] > x[other]) == (t & size == 0) {
                            x.swap(t, other);
                        }
                    }
                    distance /= 2;
                }
                size *= 2;
            }
        }
    }
}
