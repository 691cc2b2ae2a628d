//! Matrices as slices are written, by reference.
use vyre::prelude::*;

#[vyre::kernel]
fn copy(image: &Slice2<f32>, out: &mut Slice2<u8>) {
    let (x, y) = thread::index_2d();
    out[[y, x]] = image[[y, x]] as u8;
}

#[vyre::kernel]
fn fill(out: &SliceMut2<f64>) {
    let (x, y) = thread::index_2d();
    out[[y, x]] = 1.0;
}

fn main() {}
