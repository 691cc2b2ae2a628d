//! Products of matrices on tensor cores, which the tests and a benchmark share. Matrices lie in memory
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

/// One kernel for each type: what the factors are called, what they are in memory, the depth of a
/// product and of a step, and how many elements a thread brings. Rows in shared memory are apart by a
/// little more than they are long, so that the lanes of a warp read different banks.
macro_rules! tensor_products {
    ($($kernel:ident $launcher:ident $factor:ty, $element:ty, $zero:expr, $depth:literal $step:literal $each:literal
        $left_stride:literal $right_stride:literal;)*) => { $(
        /// `c := a * b`, with a block for each square of `c`, row after row.
        #[vyre::kernel(launcher = $launcher, block = 256)]
        pub(crate) fn $kernel(a: &[$element], b: &[$element], c: &mut [f32], rows: usize, columns: usize, depth: usize) {
            let left = shared::<[$element; 2 * SIDE * $left_stride]>();
            let right = shared::<[$element; 2 * $step * $right_stride]>();
            let t = thread::idx().x;
            let wide = columns.div_ceil(SIDE);
            let (top, first) = (block::idx().x / wide * SIDE, block::idx().x % wide * SIDE);
            let (own_top, own_first) = (t / 128 * 64, t / 32 % 4 * 32);
            let mut sums = [[mma::C::<f32, 16, 8>::zero(); 4]; 4];
            let (mut of_a, mut of_b) = ([$zero; $each], [$zero; $each]);
            let steps = depth.div_ceil($step);
            // Each round brings the step of its number, and multiplies the one before.
            for step in 0..steps + 1 {
                if step < steps {
                    for i in 0..$each {
                        let at = i * 256 + t;
                        let (row, k) = (top + at / $step, step * $step + at % $step);
                        of_a[i] = if row < rows && k < depth { a[row * depth + k] } else { $zero };
                        let (k, column) = (step * $step + at / SIDE, first + at % SIDE);
                        of_b[i] = if k < depth && column < columns { b[k * columns + column] } else { $zero };
                    }
                }
                if step > 0 {
                    let half = (step + 1) % 2;
                    for k in 0..$step / $depth {
                        let at = half * SIDE * $left_stride + own_top * $left_stride + k * $depth;
                        let lefts = [
                            mma::A::<$factor, 16, $depth>::load(left, at, $left_stride),
                            mma::A::<$factor, 16, $depth>::load(left, at + 16 * $left_stride, $left_stride),
                            mma::A::<$factor, 16, $depth>::load(left, at + 32 * $left_stride, $left_stride),
                            mma::A::<$factor, 16, $depth>::load(left, at + 48 * $left_stride, $left_stride),
                        ];
                        let at = half * $step * $right_stride + k * $depth * $right_stride + own_first;
                        for j in 0..4 {
                            let factor = mma::B::<$factor, $depth, 8>::load(right, at + 8 * j, $right_stride);
                            for i in 0..4 {
                                sums[i][j] = mma::multiply_add(lefts[i], factor, sums[i][j]);
                            }
                        }
                    }
                }
                if step < steps {
                    let half = step % 2;
                    for i in 0..$each {
                        let at = i * 256 + t;
                        left[half * SIDE * $left_stride + at / $step * $left_stride + at % $step] = of_a[i];
                        right[half * $step * $right_stride + at / SIDE * $right_stride + at % SIDE] = of_b[i];
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
    )* };
}

#[allow(unused_imports, reason = "who has no half precision has no other products")]
pub(crate) use tensor_products;

tensor_products! {
    of_tf32 OfTf32 mma::Tf32, f32, 0.0, 8 16 8 20 136;
}
