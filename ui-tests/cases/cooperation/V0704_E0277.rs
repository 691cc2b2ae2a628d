use vyre::prelude::*;

#[vyre::kernel]
fn bits_of_floats(values: &[f32], out: &mut [f32]) {
    let i = thread::index();
    if i < out.len() {
        out[i] = warp::xor(values[i]);
    }
}

#[vyre::kernel]
fn match_of_tuple(values: &[u32], out: &mut [u32]) {
    let i = thread::index();
    if i < out.len() {
        out[i] = warp::match_any((values[i], i));
    }
}

#[vyre::kernel]
fn sum_of_flags(values: &[u32], out: &mut [u32]) {
    let i = thread::index();
    if warp::inclusive_sum(values[i] > 3) {
        out[i] = 1;
    }
}

fn main() {}
