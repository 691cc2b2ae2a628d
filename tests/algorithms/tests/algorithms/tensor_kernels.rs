//! A product of matrices on tensor cores, in tf32, which the tests and a benchmark share. Matrices lie in memory
//! row by row, and have any sizes.
//!
//! A block of eight warps makes a square of 128 by 128 elements, each warp a part of 64 by 32, in
//! registers. It goes along the depth in steps, with what a step needs in shared memory; while it multiplies,
//! it brings what the next one needs, by way of registers, into a second half of that memory. What
//! lies beyond the matrices counts as 0.

use vyre::prelude::*;

/// Rows and columns of a block's part.
#[vyre::device]
pub(crate) const SIDE: usize = 128;

/// The depth of a step.
#[vyre::device]
const STEP: usize = 16;

/// How far rows of the right matrix are apart in shared memory: the lanes of a warp read different banks.
#[vyre::device]
const STRIDE: usize = SIDE + 8;

/// `c := a * b`, with a block for each square of `c`, row after row.
#[vyre::kernel(block = 256)]
pub(crate) fn of_tf32(a: &[f32], b: &[f32], c: &mut [f32], rows: usize, columns: usize, depth: usize) {
    let left = shared::<[[[f32; STEP + 4]; SIDE]; 2]>();
    let right = shared::<[f32; 2 * STEP * STRIDE]>();
    let t = thread::idx().x;
    let wide = columns.div_ceil(SIDE);
    let (top, first) = (block::idx().x / wide * SIDE, block::idx().x % wide * SIDE);
    let (own_top, own_first) = (t / 128 * 64, t / 32 % 4 * 32);
    let mut sums = [[mma::C::<f32, 16, 8>::zero(); 4]; 4];
    let (mut of_a, mut of_b) = ([0.0; 8], [0.0; 8]);
    let steps = depth.div_ceil(STEP);
    // Each round brings the step of its number, and multiplies the one before.
    for step in 0..steps + 1 {
        if step < steps {
            for i in 0..8 {
                let at = i * 256 + t;
                let (row, k) = (top + at / STEP, step * STEP + at % STEP);
                of_a[i] = if row < rows && k < depth {
                    a[row * depth + k]
                } else {
                    0.0
                };
                let (k, column) = (step * STEP + at / SIDE, first + at % SIDE);
                of_b[i] = if k < depth && column < columns {
                    b[k * columns + column]
                } else {
                    0.0
                };
            }
        }
        if step > 0 {
            let half = (step + 1) % 2;
            let left = &left[half];
            for k in 0..STEP / 8 {
                let lefts = [
                    mma::A::<mma::Tf32, 16, 8>::load_tile(left, own_top, k * 8),
                    mma::A::<mma::Tf32, 16, 8>::load_tile(left, own_top + 16, k * 8),
                    mma::A::<mma::Tf32, 16, 8>::load_tile(left, own_top + 32, k * 8),
                    mma::A::<mma::Tf32, 16, 8>::load_tile(left, own_top + 48, k * 8),
                ];
                let at = (half * STEP + k * 8) * STRIDE + own_first;
                for j in 0..4 {
                    let factor = mma::B::<mma::Tf32, 8, 8>::load(right, at + 8 * j, STRIDE);
                    for i in 0..4 {
                        sums[i][j] = mma::multiply_add(lefts[i], factor, sums[i][j]);
                    }
                }
            }
        }
        if step < steps {
            let half = step % 2;
            for i in 0..8 {
                let at = i * 256 + t;
                left[half][at / STEP][at % STEP] = of_a[i];
                right[(half * STEP + at / SIDE) * STRIDE + at % SIDE] = of_b[i];
            }
        }
        block::sync();
    }
    for i in 0..4 {
        for j in 0..4 {
            let sum = sums[i][j];
            for element in 0..4 {
                let row = top + own_top + 16 * i + sum.row(element);
                let column = first + own_first + 8 * j + sum.column(element);
                if row < rows && column < columns {
                    c[row * columns + column] = sum[element];
                }
            }
        }
    }
}
