//! Kernels of a crate whose manifest says `gpu = { package = "vyre", .. }`, and whose root brings the name `vyre` back:
//! attributes, device items, generic kernels, items of another crate, and a file that the build script compiles.

#![cfg(test)]

extern crate gpu as vyre;

use vyre::prelude::*;

/// Kernels of a build script.
pub mod ahead {
    include!(concat!(env!("OUT_DIR"), "/vyre/kernels.rs"));
}

#[vyre::device]
fn place() -> usize {
    vyre::thread::index()
}

#[vyre::device]
mod points {
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Point {
        pub x: f32,
        pub y: f32,
    }

    impl Point {
        pub fn sum(self) -> f32 {
            self.x + self.y
        }
    }
}

use points::Point;

#[vyre::kernel]
fn sums(points: &[Point], y: &mut [f32]) {
    let i = place();
    if i < y.len() {
        y[i] = points[i].sum() + ::vyre::math::exp(0.0f32);
    }
}

#[vyre::kernel(T = [f32, u32])]
fn twice<T: vyre::Number>(#[each] x: &mut T) {
    *x += *x;
}

#[vyre::kernel(block = 32)]
fn quarters(#[each] y: &mut u32) {
    *y = vyre_functions::half(vyre_functions::half(*y)) + vyre::warp::sum(1u32);
}

#[vyre::constant]
static FACTORS: [u32; 2] = [2, 3];

#[vyre::kernel]
fn products(#[each] y: &mut u32) {
    *y *= FACTORS[0] * FACTORS[1];
}

#[test]
fn kernels_run() -> vyre::Result<()> {
    let device = Device::cpu();
    let points = [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 5.0 }];
    let mut y = [0.0f32; 2];
    Sums::dispatch(&device, 2, &points, &mut y)?;
    assert_eq!(y, [4.0, 9.0]);

    let mut y = [3u32, 4];
    Twice::<u32>::dispatch(&device, &mut y)?;
    Products::dispatch(&device, &mut y)?;
    assert_eq!(y, [36, 48]);

    let mut y = [8u32; 32];
    Quarters::dispatch(&device, &mut y)?;
    assert_eq!(y, [34; 32]);
    Ok(())
}

#[test]
fn kernels_of_a_file_run() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut y = [1.0f32, 2.0];
    ahead::Scaled::dispatch(&device, ahead::Scale { by: 3.0 }, &mut y)?;
    assert_eq!(y, [3.0, 6.0]);
    Ok(())
}
