//! Arithmetic of slices, and shared memory as long as the launch says.

use vyre::prelude::*;

#[vyre::kernel]
fn product(x: &[f32], y: &mut [f32]) {
    y = x * 2.0;
}

#[vyre::kernel]
fn sum(a: &[f32], b: &[f32], y: &mut [f32]) {
    *y = a + b;
}

#[vyre::kernel]
fn in_place(y: &mut [f32]) {
    y *= 2.0;
}

#[vyre::device]
fn scaled(x: &[f32], by: f32) -> f32 {
    let all = by * x;
    all[0]
}

#[vyre::kernel]
fn as_long_as_a_parameter(y: &mut [f32], n: usize) {
    let tile = shared::<[f32; n]>();
    tile[thread::idx().x] = y[0];
}

#[vyre::kernel]
fn twice_as_long(y: &mut [f32]) {
    let length = y.len();
    let tile = shared::<[u32; 2 * length]>();
    tile[0] = 1;
}

#[vyre::kernel]
fn in_two_dimensions(y: &mut [f32], n: usize) {
    let tile = shared::<[[f32; n]; 16]>();
    tile[0][0] = y[0];
}

#[vyre::kernel]
fn right(y: &mut [f32]) {
    const LENGTH: usize = 4;
    let tile = shared::<[f32; 2 * LENGTH]>();
    tile[0] = y[0];
}

fn main() {}
