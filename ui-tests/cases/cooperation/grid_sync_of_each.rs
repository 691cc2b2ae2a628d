use vyre::prelude::*;

#[vyre::kernel]
fn copy(#[each] x: &f32, #[each] y: &mut f32) {
    let value = *x;
    grid::sync();
    *y = value;
}

fn main() {}
