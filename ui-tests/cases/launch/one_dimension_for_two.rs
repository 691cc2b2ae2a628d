use vyre::prelude::*;

#[vyre::kernel(block = [8, 8])]
fn double(x: &mut [f32], width: usize) {
    let (column, row) = thread::index_2d();
    if row * width + column < x.len() {
        x[row * width + column] *= 2.0;
    }
}

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut x = device.upload(&[1.0f32; 16])?;
    double(&mut x, 4).over(16).launch(&device)
}
