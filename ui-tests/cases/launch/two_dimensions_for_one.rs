use vyre::prelude::*;

#[vyre::kernel]
fn double(x: &mut [f32]) {
    let i = thread::index();
    if i < x.len() {
        x[i] *= 2.0;
    }
}

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut x = device.upload(&[1.0f32; 16])?;
    double(&mut x).over([4, 4]).launch(&device)
}
