use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn product(y: &mut [f32]) {
    let tile = shared::<[[u32; 8]; 16]>();
    let a = mma::A::<mma::Tf32, 16, 8>::load_tile(tile, 0, 0);
    y[a.row(0)] = 1.0;
}

fn main() {}
