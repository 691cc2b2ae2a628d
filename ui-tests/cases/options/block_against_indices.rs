//! A block of one axis, and a body that uses two.
use vyre::prelude::*;

#[vyre::kernel(block = 64)]
fn fill(y: &mut [f32]) {
    let (column, row) = thread::index_2d();
    y[row * 8 + column] = 1.0;
}

fn main() {}
