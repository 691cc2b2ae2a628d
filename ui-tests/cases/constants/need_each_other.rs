//! rustc's own error: constants that need each other.

#[vyre::device]
const A: usize = B + 1;

#[vyre::device]
const B: usize = A + 1;

#[vyre::kernel]
fn fill(#[each] x: &mut u32) {
    *x = A as u32;
}

fn main() {}
