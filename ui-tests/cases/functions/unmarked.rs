//! A function without the attribute.

use vyre::prelude::*;

fn half(x: f32) -> f32 {
    x * 0.5
}

#[vyre::kernel]
fn halve(y: &mut [f32]) {
    let i = thread::index();
    y[i] = half(y[i]);
}

fn main() {
    let device = Device::cpu();
    let mut y = device.zeros(1).unwrap();
    halve(&mut y).over(1).launch(&device).unwrap();
}
