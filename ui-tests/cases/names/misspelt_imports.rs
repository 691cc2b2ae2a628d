//! Imports of what a module of the file does not have: rustc's own errors, at the imports.

mod geometry {
    #[vyre::device]
    pub fn square(x: f32) -> f32 {
        x * x
    }

    #[vyre::device]
    #[derive(Clone, Copy)]
    pub struct Point {
        pub x: f32,
    }

    #[vyre::device]
    pub const SIZE: usize = 4;
}

use geometry::{Pont, SIZ, sqare};

#[vyre::kernel]
fn function(#[each] x: &mut f32) {
    *x = sqare(*x);
}

#[vyre::kernel]
fn structure(p: Pont, #[each] x: &mut f32) {
    *x = p.x;
}

#[vyre::kernel]
fn constant(#[each] x: &mut f32) {
    let all = [0.0f32; SIZ];
    *x = all[0] + SIZ as f32;
}

#[vyre::device]
fn in_a_function(x: f32) -> f32 {
    x * SIZ as f32
}

fn main() {}
