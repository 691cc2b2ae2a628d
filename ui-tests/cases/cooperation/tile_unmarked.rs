use vyre::prelude::*;

#[derive(Clone, Copy)]
struct Tile {
    sum: u32,
}

#[vyre::kernel]
fn spread(out: &mut [u32]) {
    let tile: Tile = Tile { sum: 1 };
    out[thread::index()] = tile.sum;
}

fn main() {}
