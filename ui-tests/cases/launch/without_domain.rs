//! How many threads run must be said before the launch.
use vyre::prelude::*;

#[vyre::kernel]
fn scale(a: f32, x: &mut [f32]) {
    let i = thread::index();
    if i < x.len() {
        x[i] *= a;
    }
}

#[vyre::kernel]
fn gather(from: &[f32], #[each] to: &mut f32) {
    *to = from[0];
}

fn run(device: &vyre::Device) -> vyre::Result<()> {
    let x = device.upload(&[1.0f32])?;
    let mut y = device.zeros::<f32>(100)?;
    gather(&x, &mut y).launch(device)
}

#[vyre::kernel(T = [f32, u32])]
fn duplicate<T: Copy>(x: &[T], #[each] y: &mut T) {
    *y = x[0];
}

/// Once, also where the launch comes first.
fn said_later(device: &vyre::Device) -> vyre::Result<()> {
    let mut x = device.zeros::<f32>(100)?;
    scale(2.0, &mut x).launch(device)?.over(100);
    scale(2.0, &mut x).on(&device.stream()?).over(100).launch()?;
    scale(2.0, &mut x).shared_bytes(64).over(100).launch(device)?;
    scale(2.0, &mut x).launch(device).over(100)
}

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let (x, mut y) = (device.upload(&[1.0f32; 16])?, device.upload(&[1.0f32; 16])?);
    scale(2.0, &mut y).launch(&device)?;
    duplicate(&x, &mut y).launch(&device)?;
    scale(2.0, &mut y).on(&device.stream()?).launch(&device)?;
    said_later(&device)?;
    run(&device)
}
