//! Functions that take functions.

use vyre::prelude::*;

use super::half as own_half;

/// All values combined, from the first to the last.
#[vyre::device]
pub fn fold<T: Copy, A: Copy>(values: &[T], first: A, combine: impl Fn(A, T) -> A) -> A {
    let mut all = first;
    for v in values {
        all = combine(all, *v);
    }
    all
}

/// Does something for each value.
#[vyre::device]
pub fn for_each<F>(values: &[f32], mut with: F)
where
    F: FnMut(usize, f32),
{
    with_each(values, &mut with);
}

#[vyre::device]
fn with_each<F: FnMut(usize, f32)>(values: &[f32], with: &mut F) {
    for i in 0..values.len() {
        with(i, values[i]);
    }
}

/// A zero of a function, by Newton's method.
#[vyre::device]
pub fn newton<T: Float>(start: T, value: impl Fn(T) -> T, slope: impl Fn(T) -> T) -> T {
    let mut x = start + T::ONE;
    for _ in 0..6 {
        x -= value(x) / slope(x);
    }
    x
}

/// A function of this crate beside one that the caller names.
#[vyre::device]
pub fn halved(other: impl FnOnce(u32) -> u32, x: u32) -> u32 {
    fold(&[own_half(x), other(x)], 0, |sum, v| sum + v) / 2
}
