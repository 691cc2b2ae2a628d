use vyre::prelude::*;

#[vyre::kernel(block = 32, cluster = 2)]
fn rank(y: &mut [u32]) {
    let tile = shared::<[u32; 32]>();
    let theirs = cluster::map_shared(tile, 1u32);
    y[thread::index()] = theirs[0];
}

fn main() {}
