use vyre::prelude::*;

#[vyre::kernel]
fn chosen(a: Slice2<'_, f32>, b: Slice2<'_, f32>, which: bool, y: &mut [f32]) {
    let c = if which { a } else { b };
    y[0] = c[[0, 0]];
}

#[vyre::kernel]
fn in_a_tuple(a: Slice2<'_, f32>, b: Slice2<'_, f32>, y: &mut [f32]) {
    let pair = (a, b);
    y[0] = pair.0[[0, 0]];
}

fn main() {}
