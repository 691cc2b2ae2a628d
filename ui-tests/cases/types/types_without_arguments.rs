use vyre::prelude::*;

#[vyre::device]
fn largest(tile: warp::Tile, value: i32) -> i32 {
    tile.max(value)
}

#[vyre::kernel]
fn copy(a: Slice2<'_>, #[each] y: &mut f32) {
    *y = a[[0, thread::index()]];
}

fn main() {}
