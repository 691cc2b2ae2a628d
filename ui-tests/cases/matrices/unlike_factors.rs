use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn product(x: &[i8], y: &[f64], z: &mut [i32]) {
    let a = mma::A::<i8, 16, 16>::load(x, 0, 16);
    let b = mma::B::<f64, 16, 8>::load(y, 0, 8);
    mma::multiply_add(a, b, mma::C::<i32, 16, 8>::zero()).store(z, 0, 8);
}

fn main() {}
