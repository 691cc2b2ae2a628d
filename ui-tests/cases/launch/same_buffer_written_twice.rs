use vyre::prelude::*;

#[vyre::kernel]
fn fill(x: &mut [f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        x[i] = 1.0;
        y[i] = 2.0;
    }
}

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut x = device.upload(&[1.0f32; 16])?;
    fill(&mut x, &mut x).over(16).launch(&device)
}
