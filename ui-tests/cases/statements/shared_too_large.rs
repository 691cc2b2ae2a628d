//! A block has at most 48 KiB of static shared memory.
use vyre::prelude::*;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let tile = shared::<[f64; 10_000]>();
    tile[0] = 1.0;
    y[0] = tile[0] as f32;
}

fn main() {}
