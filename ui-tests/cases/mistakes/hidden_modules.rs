//! Modules that stand where kernels mean those of vyre. Nothing is said of imports.
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

mod of_std_alone {
    use std::thread;
    use vyre::prelude::*;

    #[vyre::kernel]
    pub fn fill(y: &mut [f32]) {
        y[thread::index()] = 1.0;
    }

    pub fn wait() {
        thread::yield_now();
    }
}

mod of_comparisons {
    use std::cmp::Ordering;
    use vyre::prelude::*;

    #[vyre::kernel]
    pub fn count(y: &[AtomicU32]) {
        y[0].fetch_add(1, Ordering::Relaxed);
        y[1].fetch_add(1, Ordering::Relaxed);
    }

    pub fn are_equal(a: u32, b: u32) -> bool {
        a.cmp(&b) == Ordering::Equal
    }
}

fn main() {}
