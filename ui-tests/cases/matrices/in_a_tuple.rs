use vyre::prelude::*;

#[vyre::kernel]
fn both(a: Slice2<'_, f32>, b: Slice2<'_, f32>, y: &mut [f32]) {
    let pair = (a, b);
    y[0] = pair.0[[0, 0]];
}

fn main() {}
