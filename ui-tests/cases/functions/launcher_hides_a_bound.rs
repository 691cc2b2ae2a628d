//! The launcher of a generic kernel that would hide the trait of a bound.

use vyre::prelude::*;

#[vyre::kernel(T = [f32, u32])]
fn copy<T: Copy>(x: &[T], y: &mut [T]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[i];
    }
}

#[vyre::kernel(T = [f32, u32])]
fn number<T>(x: &[T], y: &mut [T])
where
    T: Number,
{
    let i = thread::index();
    if i < y.len() {
        y[i] = x[i] + x[i];
    }
}

#[vyre::kernel(T = [f32, u32], launcher = CopyKernel)]
fn right<T: Copy>(x: &[T], y: &mut [T]) {
    y[0] = x[0];
}

fn run(device: &Device, x: &DeviceBuffer<f32>, y: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
    copy(x, &mut *y).over(1).launch(device)?;
    right(x, y).over(1).launch(device)
}

fn main() {}
