use vyre::prelude::*;

#[vyre::kernel]
fn first(a: Slice2<'_, f32>, y: &mut [f32]) {
    y[0] = a[0];
}

fn main() {}
