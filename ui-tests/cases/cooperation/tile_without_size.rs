use vyre::prelude::*;

#[vyre::kernel]
fn sizes(out: &mut [u32]) {
    let tile = warp::tile();
    out[thread::index()] = tile.sum(1u32);
}

fn main() {}
