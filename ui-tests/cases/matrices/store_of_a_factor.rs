use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn copy(x: &[f64], y: &mut [f64]) {
    let a = mma::A::<f64, 8, 4>::load(x, 0, 4);
    a.store(y, 0, 4);
}

fn main() {}
