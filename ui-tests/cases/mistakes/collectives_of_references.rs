//! The mistakes of those who take a collective for a function on the elements of a slice, or on references.

use vyre::prelude::*;

#[vyre::kernel]
fn number(x: &[f32], y: &mut [f32]) {
    y[0] = block::sum(x);
}

#[vyre::kernel]
fn reference(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    let sum = block::sum(&x[i]);
    y[i] = sum;
}

fn main() {}
