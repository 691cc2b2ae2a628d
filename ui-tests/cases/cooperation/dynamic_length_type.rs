use vyre::prelude::*;

#[vyre::kernel]
fn tiles(n: u32, out: &mut [u32]) {
    let words = shared::slice::<u32>(n);
    out[0] = words[0];
}

fn main() {}
