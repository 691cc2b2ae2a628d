use vyre::prelude::*;

mod library {
    #[vyre::device]
    pub fn half(x: f32) -> f32 {
        0.5 * x
    }
}
use library::*;

// Not marked, and it hides the one of the library.
fn half(x: f32) -> f32 {
    0.25 * x
}

#[vyre::kernel]
fn halve(#[each] x: &mut f32) {
    *x = half(*x);
}

fn main() {}
