//! Instances that are listed twice, and extents of the block that are types.
use vyre::prelude::*;

#[vyre::kernel(T = [f32, f64, f32], N = [1, 1])]
fn twice<T: Float, const N: i32>(#[each] y: &mut T) {
    *y += *y;
}

#[vyre::kernel(T = [f32, f64], block = T)]
fn of_a_type<T: Float>(#[each] y: &mut T) {
    *y += *y;
}

fn run(device: &Device, y: &mut vyre::DeviceBuffer<f32>) -> vyre::Result<()> {
    TwiceF32N1::dispatch(device, &mut [1.0])?;
    Twice::<f32, 1>::dispatch(device, &mut [1.0])?;
    of_a_type(&mut *y).launch(device)?;
    twice::<f32, 1>(y).launch(device)
}

fn main() {}
