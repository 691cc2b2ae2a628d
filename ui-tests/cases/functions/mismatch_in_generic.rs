//! rustc's own words of a generic kernel, once; of a generic function also where it is called.

use vyre::prelude::*;

#[vyre::kernel(T = [f32, f64], N = [2, 4])]
fn kernel<T: Float, const N: usize>(n: u32, x: &[T], #[each] y: &mut T) {
    let last = N + n;
    *y = x[last];
}

#[vyre::device]
fn next<T: Float>(x: &[T], n: u32) -> T {
    x[1 + n]
}

#[vyre::kernel]
fn caller(n: u32, x: &[f32], #[each] y: &mut f32) {
    *y = next(x, n);
}

fn main() {}
