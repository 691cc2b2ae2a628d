//! A slice is never null.

#[vyre::kernel]
fn by_macro(#[each] x: &mut f32, y: &[f32]) {
    if y == NULL {
        return;
    }
    *x = y[0];
}

#[vyre::kernel]
fn by_keyword(#[each] x: &mut f32, y: &[f32]) {
    if y != nullptr {
        *x = y[0];
    }
}

fn main() {}
