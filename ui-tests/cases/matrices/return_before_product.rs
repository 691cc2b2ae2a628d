use vyre::prelude::*;

#[vyre::device]
fn multiply(x: &[f64], y: &mut [f64]) {
    let a = mma::A::<f64, 8, 4>::load(x, 0, 4);
    let b = mma::B::<f64, 4, 8>::load(x, 0, 8);
    mma::multiply_add(a, b, mma::C::<f64, 8, 8>::zero()).store(y, 0, 8);
}

#[vyre::kernel(block = 32)]
fn product(x: &[f64], y: &mut [f64]) {
    if x.is_empty() {
        return;
    }
    multiply(x, y);
}

fn main() {}
