use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn product(y: &mut [f32]) {
    let tile = shared::<[f32; 128]>();
    let a = mma::A::<mma::Tf32, 16, 8>::load_tile(tile, 0, 0);
    let b = mma::B::<mma::Tf32, 8, 8>::load(tile, 0, 8);
    mma::multiply_add(a, b, mma::C::<f32, 16, 8>::zero()).store(y, 0, 8);
}

fn main() {}
