//! A struct of slices is no parameter: each is one of its own.

use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
struct Columns<'a> {
    mass: &'a [f32],
    scale: f32,
}

#[vyre::kernel]
fn weigh(columns: Columns<'_>, y: &mut [f32]) {
    let i = thread::index();
    y[i] = columns.mass[i] * columns.scale;
}

fn main() {}
