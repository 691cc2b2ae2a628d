//! A statement without its end is rustc's to report, once.

use vyre::prelude::*;

#[vyre::kernel]
fn copy(x: &[f32], y: &mut [f32]) {
    let i = thread::index()
    y[i] = x[i];
}

fn main() {}
