use vyre::prelude::*;

#[vyre::kernel]
fn methods(values: &[f32], out: &mut [u32]) {
    let tile = warp::tile::<8>();
    let i = thread::index();
    if i < out.len() {
        out[i] = tile.xor(values[i]).to_bits();
        out[i] += tile.ballot(values[i]);
    }
}

fn main() {}
