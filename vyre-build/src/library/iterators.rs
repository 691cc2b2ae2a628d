//! Functions that iterators are made of: the number of elements, and their indices.

use super::methods::on::SEQUENCE;
use super::{Row, row};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(SEQUENCE, "fn __range<T>(a: T, b: T) -> usize { if a < b { (b as i64 - a as i64) as usize } else { 0 } }"),
    row(SEQUENCE, "fn __closed_range<T>(a: T, b: T) -> usize { if a <= b { ((b as i64 - a as i64) as usize).saturating_add(1) } else { 0 } }"),
    row(SEQUENCE, "fn __after<T>(a: T, k: usize) -> T { a + k as T }"),
    row(SEQUENCE, "fn __from_end(n: usize, k: usize) -> usize { n - 1 - k }"),
    row(SEQUENCE, "fn __without(n: usize, m: usize) -> usize { n.saturating_sub(m) }"),
    row(SEQUENCE, "fn __past(m: usize, k: usize) -> usize { k + m }"),
    row(SEQUENCE, "fn __at_most(n: usize, m: usize) -> usize { n.min(m) }"),
    row(SEQUENCE, "fn __steps(n: usize, m: usize) -> usize { if m == 0 { panic!(\"assertion failed: step != 0\"); } if n == 0 { 0 } else { (n - 1) / m + 1 } }"),
    row(SEQUENCE, "fn __step(m: usize, k: usize) -> usize { k * m }"),
    row(SEQUENCE, "fn __windows(n: usize, m: usize) -> usize { if m == 0 { panic!(\"window size must be non-zero\"); } if n < m { 0 } else { n - m + 1 } }"),
    row(SEQUENCE, "fn __chunks(n: usize, m: usize) -> usize { if m == 0 { panic!(\"chunk size must be non-zero\"); } n / m + (n % m != 0) as usize }"),
    row(SEQUENCE, "fn __exact_chunks(n: usize, m: usize) -> usize { if m == 0 { panic!(\"chunk size must be non-zero\"); } n / m }"),
    row(SEQUENCE, "fn __next(k: usize) -> usize { k + 1 }"),
    // The empty sum of floats is -0.0.
    row(SEQUENCE, "fn __sum<T: Number>() -> T { T::ZERO * (T::ZERO - T::ONE) }"),
    row(SEQUENCE, "fn __product<T: Number>() -> T { T::ONE }"),
    row(SEQUENCE, "fn __least<T: PartialOrd>(best: Option<T>, x: T) -> Option<T> { if let Some(b) = best { if !(x < b) { return best; } } Some(x) }"),
    row(SEQUENCE, "fn __most<T: PartialOrd>(best: Option<T>, x: T) -> Option<T> { if let Some(b) = best { if x < b { return best; } } Some(x) }"),
];
