//! Half precision without the feature `half`, of which rustc has words too: its own `f16` is not stable.
use vyre::prelude::*;

#[vyre::device]
const ONE: f16 = f16::ONE;

#[vyre::device]
const TABLE: [bf16; 2] = [bf16::ONE; 2];

#[vyre::constant]
static WEIGHTS: [f16; 2] = [f16::ONE; 2];

#[vyre::device]
fn wide(x: f16) -> f32 {
    x.to_f32()
}

#[vyre::device]
fn through(x: f32) -> f32 {
    f16::from_f32(x).to_f32()
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Pair {
    a: f16,
    b: f32,
}

#[vyre::device]
mod geometry {
    #[derive(Clone, Copy)]
    pub struct Point {
        x: f16,
    }

    impl Point {
        pub fn x(self) -> f16 {
            self.x
        }
    }
}

#[vyre::device]
fn quadruple(x: f128) -> f32 {
    x as f32
}

#[vyre::kernel]
fn mentions(#[each] y: &mut f32) {
    *y = through(*y) + ONE.to_f32() + wide(ONE);
}

fn main() {}
