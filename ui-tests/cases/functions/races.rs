use vyre::prelude::*;

#[vyre::device]
fn put<const N: usize>(y: &mut [u32], at: usize) {
    y[at / N] = 1;
}

/// In a function, and in one of two instances.
#[vyre::kernel(N = [1, 4])]
fn each_of<const N: usize>(y: &mut [u32]) {
    put::<N>(y, thread::index());
}

fn main() {}
