//! Modules that stand where kernels mean those of vyre. Nothing else is said, also not of imports.
#![deny(unused_imports)]

mod of_std {
    use std::thread;
    use vyre::prelude::*;

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        let i = thread::index();
        if lane::index() + thread::idx().x < y.len() {
            y[i] = 1.0;
        }
    }

    pub fn wait() {
        thread::yield_now();
    }
}

mod of_the_user {
    use vyre::prelude::*;

    pub mod grid {
        pub fn cells() -> usize {
            3
        }
    }

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[thread::index()] = grid::dim().x as f32;
    }
}

fn main() {}
