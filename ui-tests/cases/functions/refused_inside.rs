//! An error in a device function is reported at its definition, and not at the kernels that call it.

use vyre::prelude::*;

#[vyre::device]
fn length(x: f32) -> usize {
    let text = format!("{x}");
    text.len()
}

#[vyre::kernel]
fn lengths(y: &mut [usize]) {
    let i = thread::index();
    y[i] = length(i as f32);
}

fn main() {
    let device = Device::cpu();
    let mut y = device.zeros(1).unwrap();
    lengths(&mut y).over(1).launch(&device).unwrap();
}
