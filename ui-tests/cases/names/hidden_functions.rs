//! Functions by their paths, and those of vyre.
use vyre::prelude::*;

mod u32 {
    pub fn from(x: u8) -> ::core::primitive::u32 {
        x as ::core::primitive::u32 + 1
    }
}

mod thread {
    pub fn index() -> usize {
        7
    }
}

#[vyre::kernel]
fn widen(#[each] x: &u8, #[each] y: &mut u32) {
    *y = u32::from(*x);
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let i = thread::index();
    y[i] = 1.0;
}

fn main() {}
