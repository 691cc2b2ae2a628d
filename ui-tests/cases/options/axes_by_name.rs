//! An axis that the block does not have, by the name of its index.

use vyre::prelude::*;

#[vyre::kernel(block = 256)]
fn rows(x: &[f32], y: &mut [f32], width: usize) {
    let (column, row) = (thread::index(), block::idx().y);
    if column < width {
        y[row * width + column] = x[row * width + column];
    }
}

fn main() {}
