//! `#[each]` is for what every thread has its own of: `&T` and `&mut T`.
#[vyre::kernel]
fn scale(#[each] a: f32, #[each] y: &mut f32) {
    *y *= a;
}

fn main() {}
