use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn tile_turned_round(y: &mut [i32]) {
    let tile = shared::<[[i8; 48]; 32]>();
    let a = mma::A::<i8, 16, 32>::load_tile_transposed(tile, 0, 0);
    let b = mma::B::<i8, 32, 8>::load_tile(tile, 0, 0);
    mma::multiply_add(a, b, mma::C::<i32, 16, 8>::zero()).store(y, 0, 8);
}

#[vyre::kernel(block = 32)]
fn unlike_factors(x: &[i8], y: &[f64], z: &mut [i32]) {
    let a = mma::A::<i8, 16, 16>::load(x, 0, 16);
    let b = mma::B::<f64, 16, 8>::load(y, 0, 8);
    mma::multiply_add(a, b, mma::C::<i32, 16, 8>::zero()).store(z, 0, 8);
}

fn main() {}
