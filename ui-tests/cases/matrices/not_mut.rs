use vyre::prelude::*;

#[vyre::kernel]
fn first(a: Slice2<'_, f32>, b: SliceMut2<'_, f32>) {
    b[[0, 0]] = a[[0, 1]];
}

fn main() {}
