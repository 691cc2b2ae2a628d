use vyre::prelude::*;

#[vyre::kernel]
fn count(values: &[u32], out: &mut [u32]) {
    let i = thread::index();
    out[i] = block::sync_count(values[i]) as u32;
}

fn main() {}
