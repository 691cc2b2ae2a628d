//! Kernels and device functions inside a function see none of its variables.

use vyre::prelude::*;

fn scaled(device: &Device, x: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
    let factor = 2.0f32;

    #[vyre::kernel]
    fn scale(#[each] x: &mut f32) {
        *x *= factor;
    }

    scale(x).launch(device)
}

fn clamped(device: &Device, low: f32, x: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
    let (high, _) = (2.0f32, 3.0f32);

    #[vyre::device]
    fn at_most(x: f32) -> f32 {
        x.min(high)
    }

    #[vyre::kernel]
    fn clamp(#[each] x: &mut f32) {
        *x = at_most(*x);
        *x += low;
    }

    clamp(x).launch(device)
}

fn main() -> vyre::Result<()> {
    let device = Device::best()?;
    let mut x = device.upload(&[1.0f32; 4])?;
    scaled(&device, &mut x)?;
    clamped(&device, 0.0, &mut x)
}
