//! A constant of the standard library that nothing imports is named by its path.

use vyre::prelude::*;

#[vyre::kernel]
fn pi(#[each] x: &mut f32) {
    *x *= PI;
}

#[vyre::kernel(block = 64)]
fn circle(r: f32, y: &mut [f32]) {
    y[thread::index()] = TAU * r;
}

fn main() {}
