//! Conjugate gradients for a sparse matrix: all iterations in one launch, with grid barriers
//! between the steps.

use vyre::prelude::*;
use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { Solve }

/// Threads of a block.
const THREADS: usize = 64;

/// Block reduction in shared memory.
#[vyre::device]
fn of_block(own: f32, partial: &mut [f32; 64]) -> f32 {
    let t = thread::idx().x;
    partial[t] = own;
    block::sync();
    let mut half = 32;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half];
        }
        block::sync();
        half /= 2;
    }
    partial[0]
}

/// The sum over all blocks, in their order.
#[vyre::device]
fn of_grid(sums: &[f32], first: usize) -> f32 {
    let mut total = 0.0;
    for number in first..first + grid::dim().x {
        total += sums[number];
    }
    total
}

/// Solves `matrix * x = b` for a symmetric, positive definite matrix, until the squared residual is
/// at most `enough`. Row `r` of the matrix consists of the entries from `starts[r]` to `starts[r +
/// 1]`.
///
/// `left` is the residual `b - matrix * x`, `way` the search direction of the iteration, and
/// `image` the matrix times that. `sums` is double-buffered, with two numbers per block.
#[vyre::kernel(block = 64, allow(races))] // all threads find the same sum in memory, by which the loop ends
fn solve(
    starts: &[u32],
    columns: &[u32],
    values: &[f32],
    b: &[f32],
    enough: f32,
    x: &mut [f32],
    left: &mut [f32],
    way: &mut [f32],
    image: &mut [f32],
    sums: &mut [f32],
    rounds: &mut [u32],
) {
    let partial = shared::<[f32; 64]>();
    let stride = grid::dim().x * block::dim().x;
    let (of_images, of_squares) = (block::idx().x, grid::dim().x + block::idx().x);

    let mut own = 0.0;
    for i in (thread::index()..b.len()).step_by(stride) {
        x[i] = 0.0;
        left[i] = b[i];
        way[i] = b[i];
        own += b[i] * b[i];
    }
    let sum = of_block(own, partial);
    if thread::idx().x == 0 {
        sums[of_squares] = sum;
    }
    grid::sync();
    let mut squares = of_grid(sums, grid::dim().x);

    let mut round = 0;
    while squares > enough {
        own = 0.0;
        for i in (thread::index()..b.len()).step_by(stride) {
            let mut product = 0.0;
            for entry in starts[i] as usize..starts[i + 1] as usize {
                product += values[entry] * way[columns[entry] as usize];
            }
            image[i] = product;
            own += way[i] * product;
        }
        let sum = of_block(own, partial);
        if thread::idx().x == 0 {
            sums[of_images] = sum;
        }
        grid::sync();
        let far = squares / of_grid(sums, 0);

        own = 0.0;
        for i in (thread::index()..b.len()).step_by(stride) {
            x[i] += far * way[i];
            let rest = left[i] - far * image[i];
            left[i] = rest;
            own += rest * rest;
        }
        let sum = of_block(own, partial);
        if thread::idx().x == 0 {
            sums[of_squares] = sum;
        }
        grid::sync();
        let before = squares;
        squares = of_grid(sums, grid::dim().x);

        for i in (thread::index()..b.len()).step_by(stride) {
            way[i] = left[i] + squares / before * way[i];
        }
        round += 1;
        grid::sync();
    }
    if thread::index() == 0 {
        rounds[0] = round;
    }
}

/// A sparse matrix by rows.
struct Matrix {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Matrix {
    /// The Laplacian of a grid of `width` by `height` points with a border of zeros: the sum of
    /// differences to the four neighbours.
    fn laplacian(width: usize, height: usize) -> Matrix {
        let mut matrix = Matrix {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
        };
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let neighbours = [
                (y > 0, y.wrapping_sub(1), x),
                (x > 0, y, x.wrapping_sub(1)),
                (true, y, x),
                (x + 1 < width, y, x + 1),
                (y + 1 < height, y + 1, x),
            ];
            for (_, row, column) in neighbours.into_iter().filter(|&(is_there, ..)| is_there) {
                matrix.columns.push((row * width + column) as u32);
                matrix.values.push(if (row, column) == (y, x) { 4.0 } else { -1.0 });
            }
            matrix.starts.push(matrix.columns.len() as u32);
        }
        matrix
    }

    /// The entries of a row.
    fn row(&self, row: usize) -> impl Iterator<Item = (usize, f32)> {
        let entries = self.starts[row] as usize..self.starts[row + 1] as usize;
        entries.map(|entry| (self.columns[entry] as usize, self.values[entry]))
    }
}

/// The sum of `of(i)` over all rows, in the order used by a launch of `blocks` blocks.
fn sum(rows: usize, blocks: usize, of: impl Fn(usize) -> f32) -> f32 {
    let thread = |first: usize| {
        let own = (first..rows).step_by(blocks * THREADS).map(&of);
        own.fold(0.0, |sum, value| sum + value)
    };
    let block = |number: usize| {
        let mut sums: Vec<f32> = (0..THREADS).map(|t| thread(number * THREADS + t)).collect();
        while sums.len() > 1 {
            let half = sums.len() / 2;
            sums = (0..half).map(|t| sums[t] + sums[t + half]).collect();
        }
        sums[0]
    };
    (0..blocks).map(block).fold(0.0, |total, sum| total + sum)
}

/// The solution and the number of iterations, in plain Rust.
fn plain(matrix: &Matrix, b: &[f32], enough: f32, blocks: usize) -> (Vec<f32>, u32) {
    let rows = b.len();
    let (mut x, mut left, mut way) = (vec![0.0; rows], b.to_vec(), b.to_vec());
    let mut squares = sum(rows, blocks, |i| b[i] * b[i]);
    let mut round = 0;
    while squares > enough {
        let image: Vec<f32> = (0..rows)
            .map(|i| {
                matrix
                    .row(i)
                    .fold(0.0, |sum, (column, value)| sum + value * way[column])
            })
            .collect();
        let far = squares / sum(rows, blocks, |i| way[i] * image[i]);
        for i in 0..rows {
            x[i] += far * way[i];
            left[i] -= far * image[i];
        }
        let before = squares;
        squares = sum(rows, blocks, |i| left[i] * left[i]);
        for i in 0..rows {
            way[i] = left[i] + squares / before * way[i];
        }
        round += 1;
    }
    (x, round)
}

#[test]
fn solves() {
    everywhere(|place| {
        for (width, height, blocks) in [(0, 1, 1), (1, 1, 2), (5, 3, 1), (9, 8, 2), (9, 8, 3), (13, 11, 3)] {
            let matrix = Matrix::laplacian(width, height);
            let rows = width * height;
            let b = Random::new(17).floats(rows, -1.0, 1.0);
            let enough = 1e-9;
            let (expected, rounds) = plain(&matrix, &b, enough, blocks);

            let device = place.device();
            let (starts, columns, values) = (
                device.upload(&matrix.starts)?,
                device.upload(&matrix.columns)?,
                device.upload(&matrix.values)?,
            );
            let on_device = device.upload(&b)?;
            // The initial content is irrelevant.
            let other = vec![f32::NAN; rows];
            let (mut x, mut left, mut way) = (device.upload(&other)?, device.upload(&other)?, device.upload(&other)?);
            let (mut image, mut sums) = (device.upload(&other)?, device.upload(&vec![f32::NAN; 2 * blocks])?);
            let mut took = device.upload(&[u32::MAX])?;
            let kernel = solve(
                &starts, &columns, &values, &on_device, enough, &mut x, &mut left, &mut way, &mut image, &mut sums,
                &mut took,
            );
            place.grid(kernel, [blocks as u32, 1, 1])?;

            let x = x.download()?;
            assert_eq!(took.download()?, [rounds], "{width} x {height}");
            assert_eq!(bits(&x), bits(&expected), "{width} x {height}, {blocks} blocks");
            for (i, b) in b.iter().enumerate() {
                let product: f64 = (matrix.row(i))
                    .map(|(column, value)| f64::from(value) * f64::from(x[column]))
                    .sum();
                assert!((product - f64::from(*b)).abs() < 1e-4, "row {i}: {product} is not {b}");
            }
        }
        Ok(())
    });
}
