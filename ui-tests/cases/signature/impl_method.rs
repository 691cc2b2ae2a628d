//! A kernel cannot stand in an `impl`: its launcher is an item, which an `impl` cannot hold.
use vyre::prelude::*;

pub struct Filter;

impl Filter {
    /// Doubles.
    #[vyre::kernel(block = 64)]
    pub fn double(x: &mut [f32]) {
        let i = thread::index();
        if i < x.len() {
            x[i] *= 2.0;
        }
    }
}

fn main() {}
