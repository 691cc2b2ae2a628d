//! A buffer is copied by a method that may fail.

use vyre::prelude::*;

#[vyre::kernel]
fn double(#[each] x: &mut f32) {
    *x *= 2.0;
}

fn doubled(x: &vyre::DeviceBuffer<f32>, device: &Device) -> vyre::Result<vyre::DeviceBuffer<f32>> {
    let mut y = x.clone();
    double(&mut y).launch(device)?;
    Ok(y)
}

fn main() {}
