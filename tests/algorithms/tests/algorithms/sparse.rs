//! Sparse matrix-vector product (CSR).

use vyre::prelude::*;
use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { ByThreads ByWarps }

/// One thread per row; row `r` consists of the entries from `starts[r]` to `starts[r + 1]`.
#[vyre::kernel(block = 64)]
fn by_threads(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = thread::index();
    if row < y.len() {
        let mut sum = 0.0;
        for entry in starts[row] as usize..starts[row + 1] as usize {
            sum += values[entry] * x[columns[entry] as usize];
        }
        y[row] = sum;
    }
}

/// One warp per row, so that neighbouring threads read neighbouring entries.
#[vyre::kernel(block = 128)]
fn by_warps(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = thread::index() / warp::size();
    if row < y.len() {
        let mut sum = 0.0;
        for entry in (starts[row] as usize + lane::index()..starts[row + 1] as usize).step_by(warp::size()) {
            sum += values[entry] * x[columns[entry] as usize];
        }
        let total = warp::sum(sum);
        if lane::index() == 0 {
            y[row] = total;
        }
    }
}

/// The sum of 32 numbers in the order of `warp::sum`.
fn of_warp(mut sums: Vec<f32>) -> f32 {
    for half in [16, 8, 4, 2, 1] {
        sums = (0..half).map(|lane| sums[lane] + sums[lane + half]).collect();
    }
    sums[0]
}

#[test]
fn products() {
    everywhere(|place| {
        // Rows, columns, and the most entries of a row.
        for (rows, columns, most) in [
            (0, 1, 1),
            (1, 1, 2),
            (5, 300, 100),
            (64, 64, 7),
            (65, 20, 3),
            (130, 500, 40),
        ] {
            let mut random = Random::new(13);
            let lengths: Vec<usize> = (0..rows).map(|_| random.index(most)).collect();
            let starts: Vec<u32> = (0..=rows)
                .map(|row| lengths[..row].iter().sum::<usize>() as u32)
                .collect();
            let entries = starts[rows] as usize;
            let at: Vec<u32> = (0..entries).map(|_| random.index(columns) as u32).collect();
            let values = random.floats(entries, -1.0, 1.0);
            let x = random.floats(columns, -1.0, 1.0);
            let product = |entry: usize| values[entry] * x[at[entry] as usize];

            let on_device = (
                place.device().upload(&starts)?,
                place.device().upload(&at)?,
                place.device().upload(&values)?,
                place.device().upload(&x)?,
            );
            let mut y = place.device().zeros::<f32>(rows)?;
            place.over(
                by_threads(&on_device.0, &on_device.1, &on_device.2, &on_device.3, &mut y),
                rows,
            )?;
            let row = |row: usize| starts[row] as usize..starts[row + 1] as usize;
            let expected: Vec<f32> = (0..rows)
                .map(|r| row(r).map(product).fold(0.0, |sum, product| sum + product))
                .collect();
            assert_eq!(bits(&y.download()?), bits(&expected), "{rows} by threads");

            place.over(
                by_warps(&on_device.0, &on_device.1, &on_device.2, &on_device.3, &mut y),
                rows * 32,
            )?;
            let lane = |r: usize, lane: usize| {
                let own = row(r).skip(lane).step_by(32).map(product);
                own.fold(0.0, |sum, product| sum + product)
            };
            let expected: Vec<f32> = (0..rows)
                .map(|r| of_warp((0..32).map(|number| lane(r, number)).collect()))
                .collect();
            assert_eq!(bits(&y.download()?), bits(&expected), "{rows} by warps");
        }
        Ok(())
    });
}
