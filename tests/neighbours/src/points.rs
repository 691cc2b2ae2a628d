//! Slices of types that are `bytemuck::Pod`.

use glam::Vec4;
use num_complex::Complex32;
use vyre::prelude::*;

/// The fields of `glam::Vec4`.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

/// Divides by the last coordinate.
#[vyre::kernel]
fn project(#[each] point: &mut Point) {
    let Point { x, y, z, w } = *point;
    *point = Point {
        x: x / w,
        y: y / w,
        z: z / w,
        w: 1.0,
    };
}

/// The square of each complex number; `Complex32` has the layout of `[f32; 2]`.
#[vyre::kernel]
fn square(#[each] z: &[f32; 2], #[each] out: &mut [f32; 2]) {
    *out = [z[0] * z[0] - z[1] * z[1], 2.0 * z[0] * z[1]];
}

/// Divides vectors by their last coordinate, in their place.
pub fn projected(device: &Device, points: &mut [Vec4]) -> vyre::Result<()> {
    let mut on_device = device.upload::<Point>(vyre::cast(points))?;
    project(&mut on_device).launch(device)?;
    on_device.download_into(vyre::cast_mut(points))
}

/// The squares of complex numbers.
pub fn squares(device: &Device, numbers: &[Complex32]) -> vyre::Result<Vec<Complex32>> {
    let mut squares = vec![Complex32::ZERO; numbers.len()];
    Square::dispatch(device, vyre::cast(numbers), vyre::cast_mut(&mut squares))?;
    Ok(squares)
}
