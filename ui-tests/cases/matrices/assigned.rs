use vyre::prelude::*;

#[vyre::kernel]
fn swap(mut a: Slice2<'_, f32>, b: Slice2<'_, f32>, y: &mut [f32]) {
    a = b;
    y[0] = a[[0, 0]];
}

fn main() {}
