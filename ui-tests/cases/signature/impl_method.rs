//! A kernel cannot stand in an `impl`: its launcher is an item, which an `impl` cannot hold.
use vyre::prelude::*;

struct Filter;

impl Filter {
    #[vyre::kernel]
    fn double(x: &mut [f32]) {
        let i = thread::index();
        if i < x.len() {
            x[i] *= 2.0;
        }
    }
}

fn main() {}
