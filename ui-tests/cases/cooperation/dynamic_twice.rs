use vyre::prelude::*;

#[vyre::kernel]
fn tiles(out: &mut [u32]) {
    let words = shared::dynamic::<u32>();
    let more = shared::dynamic::<u32>();
    out[0] = words[0] + more[0];
}

fn main() {}
