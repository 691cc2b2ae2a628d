use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn copy(x: &[f64], y: &mut [f64]) {
    mma::C::<f64, 16, 16>::load(x, 0, 16).store(y, 0, 16);
}

fn main() {}
