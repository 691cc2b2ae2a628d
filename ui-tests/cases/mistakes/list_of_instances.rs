//! Lists of instances with something in them that is none.
use vyre::prelude::*;

#[vyre::kernel(T = f32)]
fn scale<T: vyre::Number>(#[each] y: &mut T) {
    *y += *y;
}

#[vyre::kernel(T = [16, 32])]
fn numbers<T: Number>(#[each] y: &mut T) {
    *y += *y;
}

#[vyre::kernel(G = [0.5, 1.0])]
fn floats<const G: f32>(#[each] y: &mut f32) {
    *y = G;
}

#[vyre::kernel(N = [-1, 2])]
fn negative<const N: usize>(#[each] y: &mut f32) {
    *y = 1.0;
}

macro_rules! without_a_comma {
    ($($t:ident),*) => {
        #[vyre::kernel(T = [$($t)*])]
        fn listed<T: Float>(#[each] x: &mut T) {
            *x += *x;
        }
    };
}

without_a_comma!(f32, f64);

fn main() {}
