use vyre::prelude::*;

#[vyre::kernel]
fn fill(y: &mut [u32]) {
    y[0] = const { 3 * 7 };
}

fn main() {}
