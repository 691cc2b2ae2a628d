//! Extents of blocks that name no number.
use vyre::prelude::*;

const SIZE: u32 = 64;

#[vyre::device]
const HEIGHT: f32 = 8.0;

#[vyre::kernel(block = SIZE)]
fn fill(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(block = [32, HEIGHT])]
fn of_a_float(y: &mut [f32]) {
    let (column, row) = thread::index_2d();
    y[row * 8 + column] = 1.0;
}

#[vyre::kernel(block = n)]
fn of_a_parameter(n: usize, y: &mut [f32]) {
    y[n] = 1.0;
}

fn run(device: &Device, y: &mut vyre::DeviceBuffer<f32>) -> vyre::Result<()> {
    of_a_parameter(1, y).over(64).launch(device)
}

fn main() {}
