//! Matrix product of `f32` with tiles loaded by asynchronous copies: while a block works on one
//! step, the tiles of the next two are in flight.

use super::matrix_product::Example;
use vyre::prelude::*;
use vyre_algorithms::bits;
use vyre_semantics::everywhere;

super::kernels! { Pipelined }

/// Starts to copy four consecutive elements, of which `count` exist; the others are zeroed.
#[vyre::device]
fn fetch<const WIDTH: usize>(row: &mut [f32; WIDTH], at: usize, from: &[f32], first: usize, there: usize) {
    if there >= 4 {
        pipeline::copy(&mut row[at..at + 4], &from[first..first + 4]);
    } else {
        for i in 0..4 {
            if i < there {
                pipeline::copy(&mut row[at + i], &from[first + i]);
            } else {
                row[at + i] = 0.0;
            }
        }
    }
}

/// Each thread computes four by four elements of a tile of 64 by 64.
#[vyre::kernel(block = [256, 1])]
fn pipelined(a: &[f32], b: &[f32], c: &mut [f32], rows: usize, columns: usize, depth: usize) {
    const SIDE: usize = 64;
    const STEP: usize = 16;
    const STAGES: usize = 3;
    let left = shared::<[[[f32; STEP]; SIDE]; STAGES]>();
    let right = shared::<[[[f32; SIDE]; STEP]; STAGES]>();
    let (top, first_column) = (block::idx().y * SIDE, block::idx().x * SIDE);
    let t = thread::idx().x;
    let (x, y) = (t % 16 * 4, t / 16 * 4);
    // This thread's part of each step's copies: four elements of a row of either tile.
    let (a_row, a_k) = (t / 4, t % 4 * 4);
    let (b_k, b_column) = (t / 16, t % 16 * 4);
    let (row, column) = (top + a_row, first_column + b_column);
    let steps = depth.div_ceil(STEP);
    let mut sums = [[0.0; 4]; 4];
    for step in 0..steps + 2 {
        if step >= 2 {
            // The tiles of this step have arrived for all threads, and no thread reads those of the
            // previous step any more.
            pipeline::wait_prior::<1>();
            block::sync();
        }
        if step < steps {
            let (k, stage) = (step * STEP, step % STAGES);
            let there = if row < rows { depth.saturating_sub(k + a_k) } else { 0 };
            fetch(&mut left[stage][a_row], a_k, a, row * depth + k + a_k, there);
            let there = if k + b_k < depth {
                columns.saturating_sub(column)
            } else {
                0
            };
            fetch(&mut right[stage][b_k], b_column, b, (k + b_k) * columns + column, there);
        }
        pipeline::commit();
        if step >= 2 {
            let stage = (step - 2) % STAGES;
            for k in 0..STEP {
                let mut of_a = [0.0; 4];
                let mut of_b = [0.0; 4];
                for i in 0..4 {
                    of_a[i] = left[stage][y + i][k];
                    of_b[i] = right[stage][k][x + i];
                }
                for i in 0..4 {
                    for j in 0..4 {
                        sums[i][j] = of_a[i].mul_add(of_b[j], sums[i][j]);
                    }
                }
            }
        }
    }
    for i in 0..4 {
        for j in 0..4 {
            if top + y + i < rows && first_column + x + j < columns {
                c[(top + y + i) * columns + first_column + x + j] = sums[i][j];
            }
        }
    }
}

#[test]
fn tiles_come_while_the_block_works() {
    // Rows that begin at multiples of 16 bytes, and others; without depth, and with many steps.
    for [rows, columns, depth] in [[3, 5, 0], [64, 64, 16], [33, 65, 12], [66, 20, 100], [1, 129, 7]] {
        let Example { a, b, product, .. } = Example::new(rows, columns, depth);
        everywhere(|place| {
            let (a, b) = (place.device().upload(&a)?, place.device().upload(&b)?);
            let mut c = place.device().upload(&vec![f32::NAN; rows * columns])?;
            let blocks = [columns.div_ceil(64) as u32, rows.div_ceil(64) as u32, 1];
            place.grid(pipelined(&a, &b, &mut c, rows, columns, depth), blocks)?;
            assert_eq!(
                bits(&c.download()?),
                bits(&product),
                "{rows} x {depth} x {columns} on {}",
                place.name()
            );
            Ok(())
        });
    }
}
