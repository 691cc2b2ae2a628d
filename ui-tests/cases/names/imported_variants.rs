//! Variants that an import outside of the function brings: one error, with the path to write.

#[vyre::device]
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Left,
    Right,
}

mod shapes {
    #[vyre::device]
    #[derive(Clone, Copy, PartialEq)]
    pub enum Shape {
        Dot,
        Disc(f32),
    }
}

use Way::*;
use shapes::Shape::{self, Disc as Round, Dot};

#[vyre::device]
fn way(right: bool) -> Way {
    if right { Right } else { Left }
}

#[vyre::device]
fn area(shape: Shape) -> f32 {
    match shape {
        Dot => 0.0,
        Round(r) => 3.0 * r * r,
    }
}

#[vyre::kernel]
fn areas(y: &mut [f32]) {
    y[0] = area(Round(1.0));
}

#[vyre::kernel]
fn compared(y: &mut [u32]) {
    if way(true) == Right {
        y[0] = 1;
    }
}

fn main() {}
