use vyre::prelude::*;

#[vyre::kernel]
fn ask(x: &[f32], y: &mut [f32]) {
    prefetch::l2(x[0]);
    y[0] = prefetch::l1(&x[0]);
}

fn main() {}
