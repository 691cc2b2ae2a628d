use vyre::prelude::*;

#[vyre::kernel(cluster = 2)]
fn both(y: &mut [u32]) {
    y[thread::index()] = 1;
    grid::sync();
}

fn main() {}
