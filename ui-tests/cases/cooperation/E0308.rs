use vyre::prelude::*;

#[vyre::kernel]
fn count_of_integer(values: &[u32], out: &mut [u32]) {
    let i = thread::index();
    out[i] = block::sync_count(values[i]) as u32;
}

#[vyre::kernel]
fn dynamic_length_type(n: u32, out: &mut [u32]) {
    let words = shared::slice::<u32>(n);
    out[0] = words[0];
}

fn main() {}
