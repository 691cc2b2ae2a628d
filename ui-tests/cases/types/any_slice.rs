use vyre::prelude::*;

#[vyre::kernel]
fn by_value(x: Slice<f32>, y: &mut [f32]) {
    y[0] = x[0];
}

#[vyre::kernel]
fn of_slices(x: &Slice<Slice<f32>>, y: &mut [f32]) {
    y[0] = x[0][0];
}

#[vyre::kernel]
fn of_strings(x: &Slice<String>, y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel]
fn each(#[each] x: &Slice<f32>, #[each] y: &mut f32) {
    *y = x[0];
}

#[vyre::device]
fn helper(x: Slice<f32>) -> f32 {
    x[0]
}

#[vyre::device]
struct Holds {
    x: Slice<f32>,
}

fn main() {}
