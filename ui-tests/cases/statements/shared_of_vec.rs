use vyre::prelude::*;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let _tile = shared::<Vec<f32>>();
    y[0] = 1.0;
}

fn main() {}
