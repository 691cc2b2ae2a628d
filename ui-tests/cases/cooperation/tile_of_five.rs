use vyre::prelude::*;

#[vyre::device]
fn whole(tile: warp::Tile<64>, value: u32) -> u32 {
    tile.sum(value)
}

#[vyre::kernel]
fn fives(out: &mut [u32]) {
    const LANES: usize = 5;
    let tile = warp::tile::<LANES>();
    let other = warp::tile::<1>();
    out[thread::index()] = tile.sum(1u32) + other.sum(1u32);
}

fn main() {}
