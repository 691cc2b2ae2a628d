use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn copy(x: &[i8], y: &mut [i8]) {
    let a = mma::A::<i8, 16, 16>::load(x, 0, 16);
    y[thread::index()] = a[0];
}

fn main() {}
