use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn product(x: &[f64], y: &mut [f64]) {
    let a = mma::A::<f64, 8, 4>::loads(x, 0, 4);
    let b = mma::B::<f64, 4, 8>::zero();
    y[0] = a.row(0) as f64 + b.row(0) as f64;
}

fn main() {}
