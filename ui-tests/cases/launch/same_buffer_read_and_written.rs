use vyre::prelude::*;

#[vyre::kernel]
fn copy(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[i];
    }
}

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut x = device.upload(&[1.0f32; 16])?;
    copy(&x, &mut x).over(16).launch(&device)
}
