//! Blocks that do not have the axes that the body uses, or that the parameters have.
use vyre::prelude::*;

#[vyre::kernel(block = 64)]
fn fill(y: &mut [f32]) {
    let (column, row) = thread::index_2d();
    y[row * 8 + column] = 1.0;
}

#[vyre::kernel(block = [32, 8])]
fn elements(#[each] x: &mut f32) {
    *x = 1.0;
}

#[vyre::kernel]
fn places(factor: f32, #[each] x: &f32, #[each] y: &mut f32) {
    let (column, row) = thread::index_2d();
    *y = *x * factor + (column + row) as f32;
}

#[vyre::kernel]
fn rows(#[each] x: &mut u32) {
    *x = thread::idx().y as u32;
}

fn run(device: &Device, y: &mut vyre::DeviceBuffer<f32>) -> vyre::Result<()> {
    Elements::dispatch(device, &mut [1.0])?;
    elements(y).launch(device)
}

fn main() {}
