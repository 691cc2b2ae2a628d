//! An `impl` of slices is refused at itself, and calls of its methods are notes.
use vyre::prelude::*;

trait First {
    fn first_or_zero(&self) -> f32;
}

#[vyre::device]
impl First for [f32] {
    fn first_or_zero(&self) -> f32 {
        if self.len() > 0 { self[0] } else { 0.0 }
    }
}

#[vyre::device]
mod ends {
    pub trait Last {
        fn last_or_zero(&self) -> f32;
    }

    impl Last for [f32] {
        fn last_or_zero(&self) -> f32 {
            if self.len() > 0 { self[self.len() - 1] } else { 0.0 }
        }
    }
}

use ends::Last;

#[vyre::kernel]
fn of_an_impl(x: &[f32], #[each] y: &mut f32) {
    *y = x.first_or_zero();
}

#[vyre::kernel]
fn of_a_module(x: &Slice<f32>, #[each] y: &mut f32) {
    *y = x.last_or_zero();
}

fn main() {}
