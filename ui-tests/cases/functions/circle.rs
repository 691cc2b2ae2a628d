//! Functions that call each other.

#[vyre::device]
fn is_even(n: u32) -> bool {
    n == 0 || is_odd(n - 1)
}

#[vyre::device]
fn is_odd(n: u32) -> bool {
    n != 0 && is_even(n - 1)
}

fn main() {
    is_even(3);
}
