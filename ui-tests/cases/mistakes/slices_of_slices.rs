//! Rows of a matrix are no slices of a slice.
use vyre::prelude::*;

#[vyre::kernel(block = [16, 16])]
fn scale(mut y: SliceMut2<'_, f32>, x: &[[f32]]) {
    let (col, row) = thread::index_2d();
    y[[row, col]] = x[row][col];
}

fn main() {}
