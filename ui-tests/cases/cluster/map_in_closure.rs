use vyre::prelude::*;

#[vyre::device]
fn twice(f: impl Fn(usize) -> u32) -> u32 {
    f(0) + f(1)
}

#[vyre::kernel(block = 32, cluster = 2)]
fn closure(y: &mut [u32]) {
    let tile = shared::<[u32; 32]>();
    y[thread::index()] = twice(|rank| cluster::map_shared(tile, rank)[0]);
}

fn main() {}
