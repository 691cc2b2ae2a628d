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

fn main() {}
