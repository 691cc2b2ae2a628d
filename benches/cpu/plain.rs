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
        let mut sum = 0;
        for (y, x) in y.iter_mut().zip(x) {
            sum += x;
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
