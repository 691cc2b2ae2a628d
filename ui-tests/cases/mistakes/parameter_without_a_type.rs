use vyre::prelude::*;

#[vyre::kernel]
fn scale(factor, y: &mut [f32]) {
    y[thread::index()] = factor;
}

fn main() {}
