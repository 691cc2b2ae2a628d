//! Matrix products in half precision with accumulation in single precision, shared by the tests and
//! a benchmark. Matrices are row-major, with row lengths that are multiples of 8.
//!
//! A block of eight warps computes a tile of 128 by 128 elements, each warp 64 by 32 of them, in
//! registers. It iterates over the depth in steps, with tiles in shared memory whose rows are an
//! odd number of 16-byte units long to avoid bank conflicts. Asynchronous copies load the next step
//! while tensor cores work on this one. Elements past the matrices count as 0.

use vyre::prelude::*;
use vyre::{bf16, f16};

use super::tensor_kernels::SIDE;

/// The depth of a step.
#[vyre::device]
const STEP: usize = 32;

/// Elements copied at once: 16 bytes.
#[vyre::device]
const CHUNK: usize = 8;

/// One kernel per type.
macro_rules! tensor_products {
    ($($kernel:ident $launcher:ident $copy:ident $element:ident;)*) => { $(
        /// Copies a chunk of a matrix into the row of a tile, or zeros past the matrix.
        #[vyre::device]
        fn $copy(to: &mut [$element], at: usize, from: &[$element], extent: [usize; 2], place: [usize; 2], inside: bool) {
            let start = place[0] * extent[1] + place[1];
            if inside || place[0] < extent[0] && place[1] < extent[1] {
                pipeline::copy(&mut to[at..at + CHUNK], &from[start..start + CHUNK]);
            } else {
                for i in 0..CHUNK {
                    to[at + i] = $element::ZERO;
                }
            }
        }

        /// `c := a * b`, with a block per square of `c`.
        #[vyre::kernel(launcher = $launcher, block = 256, allow(races))] // chunks of a row, and squares that no block shares
        pub(crate) fn $kernel(a: &[$element], b: &[$element], c: &mut [f32], rows: usize, columns: usize, depth: usize) {
            let left = shared::<[[[$element; STEP + CHUNK]; SIDE]; 2]>();
            let right = shared::<[[[$element; SIDE + CHUNK]; STEP]; 2]>();
            assert!(depth % CHUNK == 0 && columns % CHUNK == 0);
            let t = thread::idx().x;
            let (high, wide) = (rows.div_ceil(SIDE), columns.div_ceil(SIDE));
            // Blocks that run concurrently go down eight squares before they go right, so that
            // their data stays in the cache.
            let band = block::idx().x / (8 * wide);
            let inside = block::idx().x % (8 * wide);
            let height = (high - band * 8).min(8);
            let (top, first) = ((band * 8 + inside % height) * SIDE, inside / height * SIDE);
            let (own_top, own_first) = (t / 128 * 64, t / 32 % 4 * 32);
            let mut sums = [[mma::C::<f32, 16, 8>::zero(); 4]; 4];
            let steps = depth.div_ceil(STEP);
            let whole = top + SIDE <= rows && first + SIDE <= columns;
            // Each iteration loads its step and multiplies the previous one.
            for step in 0..steps + 1 {
                if step > 0 {
                    pipeline::wait_prior::<0>();
                    block::sync();
                }
                if step < steps {
                    let half = step % 2;
                    let inside = whole && (step + 1) * STEP <= depth;
                    for i in 0..SIDE * STEP / CHUNK / 256 {
                        let at = (i * 256 + t) * CHUNK;
                        let (row, k) = (at / STEP, at % STEP);
                        let place = [top + row, step * STEP + k];
                        $copy(&mut left[half][row], k, a, [rows, depth], place, inside);
                        let (k, column) = (at / SIDE, at % SIDE);
                        let place = [step * STEP + k, first + column];
                        $copy(&mut right[half][k], column, b, [depth, columns], place, inside);
                    }
                }
                pipeline::commit();
                if step > 0 {
                    let left = &left[(step + 1) % 2];
                    let right = &right[(step + 1) % 2];
                    for k in 0..STEP / 16 {
                        let lefts = [
                            mma::A::<$element, 16, 16>::load_tile(left, own_top, k * 16),
                            mma::A::<$element, 16, 16>::load_tile(left, own_top + 16, k * 16),
                            mma::A::<$element, 16, 16>::load_tile(left, own_top + 32, k * 16),
                            mma::A::<$element, 16, 16>::load_tile(left, own_top + 48, k * 16),
                        ];
                        for j in 0..4 {
                            let factor = mma::B::<$element, 16, 8>::load_tile(right, k * 16, own_first + 8 * j);
                            for i in 0..4 {
                                sums[i][j] = mma::multiply_add(lefts[i], factor, sums[i][j]);
                            }
                        }
                    }
                }
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
    )* };
}

tensor_products! {
    of_f16 OfF16 copy_f16 f16;
    of_bf16 OfBf16 copy_bf16 bf16;
}
