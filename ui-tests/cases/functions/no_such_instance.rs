//! Generic kernels with other types and lengths than they name: one error for each.

use vyre::prelude::*;

#[vyre::kernel(T = [f32, u32], N = [2, 4])]
fn fill<T: Number, const N: usize>(with: T, y: &mut [T]) {
    let values = [with; N];
    y[thread::index()] = values[0];
}

#[vyre::kernel(N = [1, 2])]
fn count<const N: usize>(y: &mut [usize]) {
    y[thread::index()] = N;
}

#[vyre::kernel(T = [f32, u32], U = [f32, u32])]
fn cast<T: Number, U: Number>(limit: Option<T>, x: Slice2<'_, T>, y: &mut [U]) {
    if let Some(limit) = limit
        && x[[0, 0]] > limit
    {
        y[thread::index()] = U::ONE;
    }
}

fn types(device: &Device, mut y: DeviceBuffer<f64>) -> vyre::Result<()> {
    fill::<f64, 2>(1.0, &mut y).over(1).launch(device)
}

fn lengths(device: &Device, mut y: DeviceBuffer<f32>) -> vyre::Result<()> {
    fill::<_, 3>(1.0, &mut y).over(1).launch(device)
}

fn lengths_alone(device: &Device, mut y: DeviceBuffer<usize>) -> vyre::Result<()> {
    count::<3>(&mut y).grid(1).launch(device)
}

fn types_of_values(stream: &Stream, mut y: DeviceBuffer<f64>) {
    let _ = fill::<_, 2>(1.0f64, &mut y).over(1).on(stream);
}

fn types_of_buffers(x: &DeviceBuffer<f32>, y: &mut DeviceBuffer<f64>) -> vyre::Result<()> {
    cast(None, x.view2(1, 1)?, y).over(1).launch(x.device())
}

fn wrapped<T: Number + vyre::Element>(y: &mut DeviceBuffer<T>) -> vyre::Result<()> {
    vyre::Launch::over(fill::<T, 2>(T::ZERO, y), [1, 1, 1]).launch(&Device::cpu())
}

fn named(launcher: Fill<'_, f64, 2>) {
    drop(launcher);
}

fn loaded(device: &Device) -> vyre::Result<()> {
    device.load::<Fill<'_, f64, 2>>()
}

fn main() {}
