use vyre::prelude::*;

#[vyre::kernel]
fn first(#[each] a: Slice2<'_, f32>, #[each] y: &mut f32) {
    *y = 1.0;
}

fn main() {}
