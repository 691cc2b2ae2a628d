use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn product(x: &[i8], y: &mut [i32]) {
    let a = mma::A::<i8, 16, 16>::load(x, 0, 16);
    let b = mma::B::<i8, 32, 8>::load(x, 0, 8);
    mma::multiply_add(a, b, mma::C::<i32, 16, 8>::zero()).store(y, 0, 8);
}

fn main() {}
