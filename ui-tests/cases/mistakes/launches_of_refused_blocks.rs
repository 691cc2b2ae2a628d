use vyre::prelude::*;

#[vyre::kernel(block = (16, 16))]
fn of_a_tuple(y: &mut [f32]) {
    y[thread::index()] = 1.0;
}

#[vyre::kernel([16, 16])]
fn without_a_name(y: &mut [f32]) {
    y[thread::index()] = 1.0;
}

#[vyre::kernel(block = [64, 64])]
fn too_large(y: &mut [f32]) {
    y[thread::index()] = 1.0;
}

fn main() -> vyre::Result<()> {
    let device = Device::best()?;
    let mut y = device.zeros::<f32>(1024)?;
    of_a_tuple(&mut y).over([32, 32]).launch(&device)?;
    without_a_name(&mut y).over([32, 32]).launch(&device)?;
    too_large(&mut y).over([32, 32]).launch(&device)
}
