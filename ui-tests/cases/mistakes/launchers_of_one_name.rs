//! Kernels whose launchers have the name of that of a kernel before them.
use vyre::prelude::*;

#[vyre::kernel(launcher = Run)]
fn double(#[each] x: &mut f32) {
    *x *= 2.0;
}

#[vyre::kernel(launcher = Run)]
fn square(#[each] x: &mut f32) {
    *x *= *x;
}

#[vyre::kernel(launcher = Run, T = [f32, f64])]
fn clear<T: Float>(#[each] x: &mut T) {
    *x = T::ZERO;
}

#[vyre::kernel]
fn add_up(#[each] x: &mut f32) {
    *x += 1.0;
}

#[vyre::kernel]
fn add__up(#[each] x: &mut f64) {
    *x += 1.0;
}

mod elsewhere {
    #[vyre::kernel(launcher = Run)]
    pub fn cube(#[each] x: &mut f32) {
        *x *= *x * *x;
    }
}

fn run(device: &Device, y: &mut vyre::DeviceBuffer<f32>) -> vyre::Result<()> {
    double(&mut *y).launch(device)?;
    square(&mut *y).launch(device)?;
    clear(&mut *y).launch(device)?;
    elsewhere::cube(&mut *y).launch(device)?;
    add_up(y).launch(device)?;
    Run::dispatch(device, &mut [1.0])
}

fn main() {}
