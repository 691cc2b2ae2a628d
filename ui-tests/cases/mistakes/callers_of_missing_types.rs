//! A type that does not exist is told once.

use vyre::prelude::*;

#[vyre::kernel]
fn fill(point: Point, out: &mut [f32]) {
    let i = thread::index();
    if i < out.len() {
        out[i] = point.x;
    }
}

fn main() -> vyre::Result<()> {
    let device = Device::best()?;
    let mut out = device.upload(&[0.0f32; 4])?;
    fill(1.0, &mut out).over(4).launch(&device)?;
    Fill::dispatch(&device, 4, 1.0, &mut [0.0; 4])
}
