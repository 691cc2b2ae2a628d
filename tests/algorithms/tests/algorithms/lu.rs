//! LU decomposition with partial pivoting, in place: L below the diagonal, U on and above it.

use vyre::prelude::*;
use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { Exchange Scale Subtract }

/// Pivots column `k`: swaps the row with the greatest element from row `k` on to row `k`, and
/// returns its index. Runs as one warp.
#[vyre::kernel(block = 32, allow(races))] // `warp::sync` and two rows that differ
fn exchange(a: &mut [f32], rows: &mut [u32], n: usize, k: usize) {
    let t = thread::idx().x;
    let mut greatest = -1.0;
    let mut at = 0;
    for row in (k + t..n).step_by(32) {
        let size = a[row * n + k].abs();
        if size > greatest {
            greatest = size;
            at = row;
        }
    }
    // The first of equal rows.
    let all = warp::max(greatest);
    let row = warp::min(if greatest == all { at } else { usize::MAX });
    if t == 0 {
        rows[k] = row as u32;
    }
    // Lanes exchange elements of the column that others have compared.
    warp::sync();
    if row != k && row < n && a.len() == n * n {
        for column in (t..n).step_by(32) {
            let upper = a[k * n + column];
            // SAFETY: the row is less than `n`, and each thread has its own columns.
            unsafe {
                *a.get_unchecked_mut(k * n + column) = *a.get_unchecked(row * n + column);
                *a.get_unchecked_mut(row * n + column) = upper;
            }
        }
    }
}

/// Divides column `k` below the diagonal by its diagonal element.
#[vyre::kernel(block = 32, allow(races))] // the diagonal is not below itself
fn scale(a: &mut [f32], n: usize, k: usize) {
    let row = k + 1 + thread::index();
    if row < n && a.len() == n * n {
        // SAFETY: an element of the square, which no thread of this launch changes.
        let diagonal = unsafe { *a.get_unchecked(k * n + k) };
        a[row * n + k] /= diagonal;
    }
}

/// Rank-1 update of the trailing square by column and row `k`.
#[vyre::kernel(block = [16, 16], allow(races))] // row and column `k` stay as they are
fn subtract(a: &mut [f32], n: usize, k: usize) {
    let (x, y) = thread::index_2d();
    let (row, column) = (k + 1 + y, k + 1 + x);
    if row < n && column < n && a.len() == n * n {
        // SAFETY: elements of the square in column and row `k`, which no thread of this launch
        // changes.
        let product = unsafe { *a.get_unchecked(row * n + k) * *a.get_unchecked(k * n + column) };
        a[row * n + column] -= product;
    }
}

/// The same in plain Rust: the decomposition and the rows exchanged.
fn decomposed(mut a: Vec<f32>, n: usize) -> (Vec<f32>, Vec<u32>) {
    let mut rows = Vec::new();
    for k in 0..n {
        let mut pivot = k;
        for row in k..n {
            if a[row * n + k].abs() > a[pivot * n + k].abs() {
                pivot = row;
            }
        }
        rows.push(pivot as u32);
        for column in 0..n {
            a.swap(k * n + column, pivot * n + column);
        }
        for row in k + 1..n {
            a[row * n + k] /= a[k * n + k];
            for column in k + 1..n {
                a[row * n + column] -= a[row * n + k] * a[k * n + column];
            }
        }
    }
    (a, rows)
}

#[test]
fn decomposes() {
    everywhere(|place| {
        for n in [0, 1, 2, 3, 16, 17, 37] {
            let original = Random::new(8).floats(n * n, -1.0, 1.0);
            let mut a = place.device().upload(&original)?;
            let mut rows = place.device().zeros::<u32>(n)?;
            for k in 0..n {
                place.grid(exchange(&mut a, &mut rows, n, k), [1, 1, 1])?;
                let rest = n - k - 1;
                place.over(scale(&mut a, n, k), rest)?;
                place.over(subtract(&mut a, n, k), [rest, rest])?;
            }
            let (a, rows) = (a.download()?, rows.download()?);
            let expected = decomposed(original.clone(), n);
            assert_eq!(rows, expected.1, "{n}");
            assert_eq!(bits(&a), bits(&expected.0), "{n}");

            // L times U equals the matrix with its rows permuted.
            let mut exchanged = original;
            for (k, &row) in rows.iter().enumerate() {
                for column in 0..n {
                    exchanged.swap(k * n + column, row as usize * n + column);
                }
            }
            for row in 0..n {
                for column in 0..n {
                    let l = |k: usize| if k == row { 1.0 } else { f64::from(a[row * n + k]) };
                    let u = |k: usize| f64::from(a[k * n + column]);
                    let product: f64 = (0..=row.min(column)).map(|k| l(k) * u(k)).sum();
                    let error = (product - f64::from(exchanged[row * n + column])).abs();
                    assert!(error < 1e-5, "{n}: off by {error} at {row}, {column}");
                }
            }
        }
        Ok(())
    });
}
