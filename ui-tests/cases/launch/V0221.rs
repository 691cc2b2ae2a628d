//! The size of a block is that of the kernel.
use vyre::prelude::*;

#[vyre::kernel]
fn double(x: &mut [f32]) {
    let i = thread::index();
    if i < x.len() {
        x[i] *= 2.0;
    }
}

fn run(device: &Device, x: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
    double(x).grid(16).block(64).launch(device)
}

fn first(device: &Device, x: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
    double(x).block([32, 2]).over(1024).launch(device)
}

fn main() {}
