use vyre::prelude::*;

#[vyre::kernel]
fn of_the_primitives(x: &[f32], y: &mut [f32]) {
    y[0] = vyre_primitives::reduce(x, 0.0, |a, b| a + b);
}

#[vyre::kernel]
fn another_of_them(x: &[f32], y: &mut [f32]) {
    y[0] = vyre_primitives::sum(x);
}

fn main() {}
