use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn product(x: &[f64], #[each] y: &mut f64) {
    let a = mma::A::<f64, 8, 4>::load(x, 0, 4);
    let b = mma::B::<f64, 4, 8>::load(x, 0, 8);
    let sum = mma::multiply_add(a, b, mma::C::<f64, 8, 8>::zero());
    *y = sum[0] + sum[1];
}

fn main() {}
