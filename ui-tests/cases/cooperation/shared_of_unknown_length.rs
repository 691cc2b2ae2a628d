use vyre::prelude::*;

const WIDTH: usize = 4;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let tile = shared::<[[f32; WIDTH]; 2]>();
    y[0] = tile[0][0];
}

fn main() {}
