use vyre::prelude::*;

const SIZE: usize = 8;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let tile = shared::<[f32; SIZE]>();
    y[0] = tile[0];
}

fn main() {}
