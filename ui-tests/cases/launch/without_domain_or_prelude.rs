//! Without the prelude rustc says it in its own words.
use vyre::{Device, thread};

#[vyre::kernel]
fn scale(a: f32, x: &mut [f32]) {
    let i = thread::index();
    if i < x.len() {
        x[i] *= a;
    }
}

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut x = device.upload(&[1.0f32; 16])?;
    scale(2.0, &mut x).launch(&device)
}
