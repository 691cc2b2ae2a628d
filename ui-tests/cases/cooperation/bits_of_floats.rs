use vyre::prelude::*;

#[vyre::kernel]
fn combine(values: &[f32], out: &mut [f32]) {
    let i = thread::index();
    if i < out.len() {
        out[i] = warp::xor(values[i]);
    }
}

fn main() {}
