use vyre::prelude::*;

#[vyre::kernel(block = 48)]
fn part_of_a_warp(x: &[f64], y: &mut [f64]) {
    let a = mma::A::<f64, 8, 4>::load(x, 0, 4);
    let b = mma::B::<f64, 4, 8>::load(x, 0, 8);
    mma::multiply_add(a, b, mma::C::<f64, 8, 8>::zero()).store(y, 0, 8);
}

#[vyre::kernel(block = 32)]
fn product_of_each(x: &[f64], #[each] y: &mut f64) {
    let a = mma::A::<f64, 8, 4>::load(x, 0, 4);
    let b = mma::B::<f64, 4, 8>::load(x, 0, 8);
    let sum = mma::multiply_add(a, b, mma::C::<f64, 8, 8>::zero());
    *y = sum[0] + sum[1];
}

#[vyre::kernel(block = 48)]
fn tile_of_part_of_a_warp(y: &mut [usize]) {
    let tile = shared::<[[f32; 8]; 16]>();
    let a = mma::A::<mma::Tf32, 16, 8>::load_tile(tile, 0, 0);
    y[thread::index()] = a.row(0);
}

fn main() {}
