use vyre::prelude::*;

#[vyre::kernel]
fn first(a: Slice2<'_, f32>, y: &mut [f32]) {
    let place = [0, 1];
    y[0] = a[place];
}

fn main() {}
