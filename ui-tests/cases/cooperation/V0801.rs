use vyre::prelude::*;

#[vyre::kernel]
fn dynamic_in_branch(n: usize, out: &mut [f32]) {
    if n > 3 {
        let tile = shared::slice::<f32>(n);
        out[0] = tile[0];
    }
}

#[vyre::kernel]
fn dynamic_twice(out: &mut [u32]) {
    let words = shared::dynamic::<u32>();
    let more = shared::dynamic::<u32>();
    out[0] = words[0] + more[0];
}

fn main() {}
