//! Fragments say their types and sizes.

use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn multiply(x: &[f64], y: &mut [f64]) {
    let a = mma::A::load(x, 0, 4);
    let b = mma::B::<f64, 4, 8>::load(x, 0, 8);
    let c = mma::multiply_add(a, b, mma::C::<f64, 8, 8>::zero());
    c.store(y, 0, 8);
}

fn main() {}
