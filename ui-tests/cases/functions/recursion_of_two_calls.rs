//! A function that calls itself at two places is refused once.
use vyre::prelude::*;

#[vyre::device]
fn fibonacci(n: u32) -> u32 {
    if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

#[vyre::kernel]
fn all(#[each] y: &mut u32) {
    *y = fibonacci(thread::index() as u32);
}

fn main() {}
