//! Macros of the user that have the names of Rust's, and a crate that is none.
macro_rules! assert {
    ($condition:expr) => {};
}

macro_rules! nothing {
    ($($tokens:tt)*) => {};
}

mod core {
    pub(crate) use nothing as panic;
}

use nothing as debug_assert;

#[vyre::kernel]
fn by_text(#[each] x: &mut f32) {
    assert!(*x > 0.0);
}

#[vyre::kernel]
fn by_import(#[each] x: &mut f32) {
    debug_assert!(*x > 0.0);
}

#[vyre::kernel]
fn by_crate(#[each] x: &mut f32) {
    if *x > 0.0 {
        core::panic!();
    }
}

fn main() {}
