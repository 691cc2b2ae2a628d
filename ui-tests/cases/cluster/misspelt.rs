use vyre::prelude::*;

#[vyre::kernel(block = 32, clusters = 2)]
fn plural(y: &mut [u32]) {
    y[thread::index()] = 1;
}

#[vyre::kernel(block = 32, cluster = 2)]
fn rank(y: &mut [u32]) {
    let tile = shared::<[u32; 32]>();
    tile[0] = cluster::rank() as u32;
    let theirs = cluster::map_shared::<[u32; 32]>(tile, 1);
    y[thread::index()] = theirs[0];
}

fn main() {}
