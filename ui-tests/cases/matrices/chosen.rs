use vyre::prelude::*;

#[vyre::kernel]
fn choose(a: Slice2<'_, f32>, b: Slice2<'_, f32>, which: bool, y: &mut [f32]) {
    let c = if which { a } else { b };
    y[0] = c[[0, 0]];
}

fn main() {}
