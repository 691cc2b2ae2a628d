use vyre::prelude::*;

#[vyre::kernel]
fn by_a_float(x: &Slice<f32>, y: &mut Slice<f32>) {
    y[0] = x[1.5f32];
}

#[vyre::kernel]
fn by_a_bool(x: &Slice<f32>, y: &mut Slice<f32>) {
    y[0] = x[true];
}

#[vyre::kernel]
fn by_a_pair(x: &Slice<f32>, y: &mut Slice<f32>) {
    y[0] = x[(0, 1)];
}

#[vyre::kernel]
fn plain(i: u32, x: &[f32], y: &mut Slice<f32>) {
    y[i] = x[i];
}

fn main() {}
