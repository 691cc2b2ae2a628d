//! `&f32` is what `#[each]` parameters look like.
#[vyre::kernel]
fn scale(a: f32, y: &mut f32) {
    *y *= a;
}

fn main() {}
