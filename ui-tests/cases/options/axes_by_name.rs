//! An axis that the block does not have, by the name of its index.

use vyre::prelude::*;

#[vyre::kernel(block = 256)]
fn rows(x: &[f32], y: &mut [f32], width: usize) {
    let (column, row) = (thread::index(), block::idx().y);
    if column < width {
        y[row * width + column] = x[row * width + column];
    }
}

#[vyre::kernel(block = 64)]
fn planes(y: &mut [u32]) {
    y[block::idx().z] = block::idx().y as u32;
}

#[vyre::kernel(block = 48)]
fn odd(y: &mut [u32]) {
    let (column, row) = thread::index_2d();
    y[48 * row + column] = 1;
}

#[vyre::kernel(block = [8, 8])]
fn layers(y: &mut [u32]) {
    y[thread::index_2d().0] = block::idx().z as u32;
}

fn main() {}
