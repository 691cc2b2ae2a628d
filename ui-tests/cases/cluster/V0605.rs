use vyre::prelude::*;

#[vyre::kernel(cluster = 2)]
fn grid_sync(y: &mut [u32]) {
    y[thread::index()] = 1;
    grid::sync();
}

#[vyre::kernel]
fn alone(y: &mut [u32]) {
    y[thread::index()] = 1;
    cluster::sync();
}

#[vyre::kernel(block = 32)]
fn rank(y: &mut [u32]) {
    y[thread::index()] = cluster::block_rank() as u32;
}

fn main() {}
