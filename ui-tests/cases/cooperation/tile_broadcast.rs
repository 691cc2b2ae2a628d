use vyre::prelude::*;

#[vyre::kernel]
fn spread(values: &[u32], out: &mut [u32]) {
    let tile = warp::tile::<8>();
    let i = thread::index();
    if i < out.len() {
        out[i] = tile.broadcast(values[i]) + values[i].frobnicate();
    }
}

fn main() {}
