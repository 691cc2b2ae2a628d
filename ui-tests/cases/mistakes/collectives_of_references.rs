//! The mistakes of those who take a collective for a function on the elements of a slice.

use vyre::prelude::*;

#[vyre::kernel]
fn number(x: &[f32], y: &mut [f32]) {
    y[0] = block::sum(x);
}

fn main() {}
