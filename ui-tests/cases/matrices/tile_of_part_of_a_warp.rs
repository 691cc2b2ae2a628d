use vyre::prelude::*;

#[vyre::kernel(block = 48)]
fn rows(y: &mut [usize]) {
    let tile = shared::<[[f32; 8]; 16]>();
    let a = mma::A::<mma::Tf32, 16, 8>::load_tile(tile, 0, 0);
    y[thread::index()] = a.row(0);
}

fn main() {}
