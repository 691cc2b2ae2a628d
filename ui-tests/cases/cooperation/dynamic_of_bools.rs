use vyre::prelude::*;

#[vyre::kernel]
fn flags(n: usize, out: &mut [u32]) {
    let flags = shared::slice::<bool>(n);
    out[0] = flags[0] as u32;
}

fn main() {}
