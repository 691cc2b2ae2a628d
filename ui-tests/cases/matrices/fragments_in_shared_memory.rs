use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn keep(x: &[f64], y: &mut [f64]) {
    let kept = shared::<[mma::C<f64, 8, 8>; 32]>();
    kept[thread::index()] = mma::C::<f64, 8, 8>::load(x, 0, 8);
    y[0] = kept[0][0];
}

fn main() {}
