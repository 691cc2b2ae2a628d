//! An instance that does not fit the bounds, and one whose body is at fault.

use vyre::prelude::*;

#[vyre::kernel(T = [f32, u32])]
fn root<T: Float>(y: &mut [T]) {
    y[0] = y[0].sqrt();
}

#[vyre::kernel(N = [4])]
fn text<const N: usize>(y: &mut [usize]) {
    y[0] = String::from("text").len() + N;
}

#[derive(Clone, Copy)]
struct Meters(f32);

#[vyre::kernel(T = [f32, Meters])]
fn keep<T: Copy>(#[each] x: &T, #[each] y: &mut T) {
    *y = *x;
}

#[vyre::device]
fn cube_root<F: Float>(x: F) -> F {
    x.cbrt()
}

#[vyre::kernel]
fn roots(#[each] y: &mut u32) {
    *y = cube_root(*y);
}

fn main() {}
