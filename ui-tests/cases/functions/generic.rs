//! Instances that do not fit, and that nothing tells.

use vyre::prelude::*;

#[vyre::device]
fn half<T: Float>(x: T) -> T {
    x * T::from_f64(0.5)
}

#[vyre::device]
fn filled<const N: usize>(with: u32) -> [u32; N] {
    [with; N]
}

#[vyre::kernel]
fn unfit(y: &mut [u32]) {
    y[0] = half(y[0]);
}

#[vyre::kernel]
fn untold(y: &mut [u32]) {
    y[0] = filled(3)[0];
}

fn main() {}
