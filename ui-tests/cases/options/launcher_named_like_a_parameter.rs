use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
pub struct Blur {
    radius: f32,
}

#[vyre::kernel]
fn blur(options: Blur, y: &mut [f32]) {
    y[thread::index()] = options.radius;
}

fn main() {
    let device = Device::cpu();
    let mut y = device.zeros(1).unwrap();
    blur(Blur { radius: 1.0 }, &mut y).over(1).launch(&device).unwrap();
}
