use vyre::prelude::*;

#[vyre::kernel]
fn first(a: Slice2<'_, String>, y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
