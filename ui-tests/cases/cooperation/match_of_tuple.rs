use vyre::prelude::*;

#[vyre::kernel]
fn pairs(values: &[u32], out: &mut [u32]) {
    let i = thread::index();
    if i < out.len() {
        out[i] = warp::match_any((values[i], i));
    }
}

fn main() {}
