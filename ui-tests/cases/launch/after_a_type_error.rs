//! The same where rustc reports the error.
use vyre::prelude::*;

#[vyre::kernel]
fn scale(a: f32, x: &mut [f32]) {
    let b: u32 = a;
    x[0] *= a;
}

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut x = device.upload(&[1.0f32; 16])?;
    scale(2.0, &mut x).over(16).launch(&device)
}
