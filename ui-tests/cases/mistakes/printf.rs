//! The macro that prints has the name that Rust gives it.
use vyre::prelude::*;

#[vyre::kernel]
fn index(#[each] y: &mut u32) {
    printf!("%d\n", thread::index());
    *y = 1;
}

fn main() {}
