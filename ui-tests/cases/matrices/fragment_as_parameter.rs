use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn keep(x: mma::C<f64, 8, 8>, y: &mut [f64]) {
    x.store(y, 0, 8);
}

fn main() {}
