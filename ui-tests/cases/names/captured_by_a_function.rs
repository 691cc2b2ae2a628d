//! rustc alone says that a function in a kernel sees no variables.

#[vyre::kernel]
fn parameter(factor: f32, #[each] x: &mut f32) {
    fn apply(v: f32) -> f32 {
        v * factor
    }
    *x = apply(*x);
}

#[vyre::kernel]
fn variable(#[each] x: &mut f32) {
    let factor = 2.0;
    fn apply(v: f32) -> f32 {
        v * factor
    }
    *x = apply(*x) + factor;
}

fn main() {}
