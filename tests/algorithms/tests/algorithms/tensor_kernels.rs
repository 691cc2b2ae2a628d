//! A matrix product on tensor cores in tf32, shared by the tests and a benchmark. Matrices are
//! row-major, of any sizes.
//!
//! A block of four warps computes a tile of 128 by 128 elements, each warp 64 by 64, in registers.
//! It iterates over the depth in steps, with the tiles in dynamic shared memory; while it
//! multiplies, asynchronous copies load the next three steps. Warps load fragments of the left tile
//! by `ldmatrix`. The hardware does not transpose elements of 32 bits, so lanes load those of the
//! right tile one by one, from rows whose pitch avoids bank conflicts. Elements past the matrices
//! count as 0.

use vyre::prelude::*;

/// Rows and columns of a block's tile.
#[vyre::device]
pub(crate) const SIDE: usize = 128;

/// Steps whose tiles are in shared memory.
#[vyre::device]
pub(crate) const STAGES: usize = 4;

/// The depth of a step.
#[vyre::device]
const STEP: usize = 16;

/// Elements copied at once: 16 bytes.
#[vyre::device]
const CHUNK: usize = 4;

/// The dynamic shared memory of a launch.
pub(crate) const BYTES: usize = STAGES * 4 * (SIDE * (STEP + CHUNK) + STEP * (SIDE + 8));

/// Copies a chunk of a matrix, padded with zeros.
#[vyre::device]
fn copy_chunk(to: &mut [f32], at: usize, from: &[f32], extent: [usize; 2], place: [usize; 2], inside: bool) {
    let start = place[0] * extent[1] + place[1];
    if inside {
        pipeline::copy(&mut to[at..at + CHUNK], &from[start..start + CHUNK]);
    } else {
        for i in 0..CHUNK {
            if place[0] < extent[0] && place[1] + i < extent[1] {
                pipeline::copy(&mut to[at + i], &from[start + i]);
            } else {
                to[at + i] = 0.0;
            }
        }
    }
}

/// `c := a * b`, with a block per square of `c`.
#[vyre::kernel(block = 128, allow(races))] // chunks of a row, and squares that no block shares
pub(crate) fn of_tf32(a: &[f32], b: &[f32], c: &mut [f32], rows: usize, columns: usize, depth: usize) {
    let left = shared::slice::<[[f32; STEP + CHUNK]; SIDE]>(STAGES);
    let right = shared::slice::<[[f32; SIDE + 8]; STEP]>(STAGES);
    let t = thread::idx().x;
    let (high, wide) = (rows.div_ceil(SIDE), columns.div_ceil(SIDE));
    // Blocks that run concurrently go down eight squares before they go right, so that their data
    // stays in the cache.
    let band = block::idx().x / (8 * wide);
    let inside = block::idx().x % (8 * wide);
    let height = (high - band * 8).min(8);
    let (top, first) = ((band * 8 + inside % height) * SIDE, inside / height * SIDE);
    let (own_top, own_first) = (t / 64 * 64, t / 32 % 2 * 64);
    let mut sums = [[mma::C::<f32, 16, 8>::zero(); 8]; 4];
    let steps = depth.div_ceil(STEP);
    let whole = top + SIDE <= rows && first + SIDE <= columns;
    // Each iteration loads its step and multiplies the step loaded three iterations before.
    for step in 0..steps + 3 {
        if step >= 3 {
            pipeline::wait_prior::<2>();
            block::sync();
        }
        if step < steps {
            let stage = step % STAGES;
            let inside = whole && (step + 1) * STEP <= depth;
            for i in 0..SIDE * STEP / CHUNK / 128 {
                let at = (i * 128 + t) * CHUNK;
                let (row, k) = (at / STEP, at % STEP);
                let place = [top + row, step * STEP + k];
                copy_chunk(&mut left[stage][row], k, a, [rows, depth], place, inside);
                let (k, column) = (at / SIDE, at % SIDE);
                let place = [step * STEP + k, first + column];
                copy_chunk(&mut right[stage][k], column, b, [depth, columns], place, inside);
            }
        }
        pipeline::commit();
        if step >= 3 {
            let stage = (step + 1) % STAGES;
            let left = &left[stage];
            let right = &right[stage];
            for k in 0..STEP / 8 {
                let lefts = [
                    mma::A::<mma::Tf32, 16, 8>::load_tile(left, own_top, k * 8),
                    mma::A::<mma::Tf32, 16, 8>::load_tile(left, own_top + 16, k * 8),
                    mma::A::<mma::Tf32, 16, 8>::load_tile(left, own_top + 32, k * 8),
                    mma::A::<mma::Tf32, 16, 8>::load_tile(left, own_top + 48, k * 8),
                ];
                for j in 0..8 {
                    let factor = mma::B::<mma::Tf32, 8, 8>::load_tile(right, k * 8, own_first + 8 * j);
                    for i in 0..4 {
                        sums[i][j] = mma::multiply_add(lefts[i], factor, sums[i][j]);
                    }
                }
            }
        }
    }
    for i in 0..4 {
        for j in 0..8 {
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
