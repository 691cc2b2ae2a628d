use vyre::prelude::*;

#[vyre::device]
fn take(tile: &mut [u32; 32], rank: usize) -> u32 {
    let theirs = cluster::map_shared(tile, rank);
    theirs[0]
}

#[vyre::kernel(block = 32, cluster = 2)]
fn others(x: &[u32], y: &mut [u32]) {
    let tile = shared::<[u32; 32]>();
    let full = shared::barriers::<2, 32>();
    let own = [1u32; 4];
    let row = &mut tile[3];
    let sum = cluster::map_shared(&own, 1)[0] + *cluster::map_shared(row, 1) + *cluster::map_shared(&own[0], 0);
    y[thread::index()] = sum + take(tile, 1) + *cluster::map_shared(&x[1], 1);
    cluster::map_shared(&full[1], 1).arrive_and_wait();
}

fn main() {}
