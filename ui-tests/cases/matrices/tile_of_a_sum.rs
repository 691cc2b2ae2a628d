use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn copy(y: &mut [f32]) {
    let tile = shared::<[[f32; 8]; 16]>();
    mma::C::<f32, 16, 8>::load_tile(tile, 0, 0).store(y, 0, 8);
}

fn main() {}
