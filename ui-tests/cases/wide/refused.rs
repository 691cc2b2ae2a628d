//! Places where there are no integers of 128 bits.
use vyre::prelude::*;

const SEED: u128 = 1 << 100;

#[vyre::kernel]
fn counted(n: u128, y: &mut [u128]) {
    for i in 0..n {
        y[0] += i;
    }
}

#[vyre::kernel]
fn unmarked(y: &mut [u128]) {
    y[0] = SEED;
}

#[vyre::kernel]
fn streamed(x: &[u128], y: &mut [u128]) {
    y[0] = load::streaming(&x[0]);
}

#[vyre::device]
#[repr(u128)]
enum Color {
    Red,
    Green,
}

#[vyre::device]
fn shifted<const N: u128>(x: u128) -> u128 {
    x << N
}

fn main() {}
