//! rustc's own error, once.
use vyre::prelude::*;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[thread::idx().w] = 1.0;
}

fn main() {}
