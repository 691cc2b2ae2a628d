//! Twins of the CUDA C++ kernels in `kernels.cu`, beside those of the examples: the same algorithms
//! over the same arguments.

use vyre::prelude::*;

/// y += a*x.
#[vyre::kernel(block = 256)]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

/// c = a*b of square matrices, one thread per element.
#[vyre::kernel(block = [32, 8])]
pub fn matmul_naive(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let (x, y) = thread::index_2d();
    if x < n && y < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[y * n + k] * b[k * n + x];
        }
        c[y * n + x] = sum;
    }
}

/// c = a*b with tiles in shared memory; `n` is a multiple of 32.
#[vyre::kernel(block = [32, 32])]
pub fn matmul_tiled(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let ta = shared::<[[f32; 32]; 32]>();
    let tb = shared::<[[f32; 32]; 32]>();
    let (x, y) = thread::index_2d();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let mut sum = 0.0;
    let mut first = 0;
    while first < n {
        ta[ty][tx] = a[y * n + first + tx];
        tb[ty][tx] = b[(first + ty) * n + x];
        block::sync();
        for k in 0..32 {
            sum += ta[ty][k] * tb[k][tx];
        }
        block::sync();
        first += 32;
    }
    c[y * n + x] = sum;
}

/// The mean of a cell and its four neighbours, inside the border.
#[vyre::kernel(block = [32, 8])]
pub fn stencil(source: &[f32], out: &mut [f32], width: usize, height: usize) {
    let (x, y) = thread::index_2d();
    if x >= 1 && y >= 1 && x + 1 < width && y + 1 < height {
        let i = y * width + x;
        out[i] = 0.2 * (source[i] + source[i - 1] + source[i + 1] + source[i - width] + source[i + width]);
    }
}

/// The sum of each row.
#[vyre::kernel(block = 256)]
pub fn row_sums(source: &[f32], sums: &mut [f32], width: usize) {
    let row = thread::index();
    if row < sums.len() {
        let mut sum = 0.0;
        for k in 0..width {
            sum += source[row * width + k];
        }
        sums[row] = sum;
    }
}
