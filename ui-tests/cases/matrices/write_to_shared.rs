use vyre::prelude::*;

#[vyre::kernel]
fn first(mut a: Slice2<'_, f32>) {
    a[[0, 0]] = 1.0;
}

fn main() {}
