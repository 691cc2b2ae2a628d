//! Also in functions that rustc checks whatever is refused of them.

use vyre::prelude::*;

#[vyre::kernel]
fn length(y: &mut [f32]) {
    y[y.size() - 1] = y.length as f32;
}

#[vyre::kernel]
fn index(width: usize, y: &mut [f32]) {
    let i = thread::index();
    y[i.y * width] = 1.0;
}

#[vyre::kernel]
fn power(x: f32, y: &mut [f32]) {
    y[0] = x.pow(3) + x ^ 2.0;
}

#[vyre::kernel]
fn threads(x: &[f32], y: &mut [f32]) {
    y.par_iter_mut().zip(x).for_each(|(y, x)| *y = 2.0 * x);
}

#[vyre::kernel]
fn stack(x: &[u32], y: &mut [u32]) {
    let mut stack = [0; 16];
    y[0] = x[stack.pop()];
}

#[vyre::device]
fn last(x: &[f32]) -> f32 {
    x[x.size() - 1] + x.length as f32
}

#[vyre::device]
fn square(x: f32) -> f32 {
    x ^ 2.0
}

#[vyre::device]
fn unrolled(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    #[unroll]
    for k in 0..4 {
        sum += x[k];
    }
    sum
}

#[vyre::device]
fn twice<F: vyre::Float>(x: F) -> F {
    x * F::new(2.0)
}

fn main() {}
