//! rustc's own error, once.
use vyre::prelude::*;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[thread::index(0)] = 1.0;
}

fn main() {}
