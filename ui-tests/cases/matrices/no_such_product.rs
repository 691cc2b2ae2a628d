use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn product(x: &[i8], y: &mut [f32]) {
    let a = mma::A::<i8, 16, 16>::load(x, 0, 16);
    let b = mma::B::<i8, 16, 8>::load(x, 0, 8);
    let sum = mma::multiply_add(a, b, mma::C::<f32, 16, 8>::zero());
    sum.store(y, 0, 8);
}

fn main() {}
