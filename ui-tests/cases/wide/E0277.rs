//! Warp operations combine integers of up to 64 bits.
use vyre::prelude::*;

#[vyre::kernel]
fn summed(x: &[u128], y: &mut [u128]) {
    y[0] = warp::sum(x[0]);
}

#[vyre::device]
fn doubled<T: Integer>(x: T) -> T {
    x + x
}

#[vyre::kernel]
fn generic(x: &[i128], y: &mut [i128]) {
    y[0] = doubled(x[0]);
}

fn main() {}
