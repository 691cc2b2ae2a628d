//! A function that calls itself.

#[vyre::device]
fn factorial(n: u32) -> u32 {
    if n < 2 { 1 } else { n * factorial(n - 1) }
}

#[vyre::kernel]
fn factorials(y: &mut [u32]) {
    y[0] = factorial(y[0]);
}

fn main() {}
