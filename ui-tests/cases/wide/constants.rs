//! The host sets no constants of 128 bits.
use vyre::prelude::*;

#[vyre::constant]
static KEYS: [u128; 2] = [1, 2];

#[vyre::kernel]
fn keyed(#[each] y: &mut u128) {
    *y ^= KEYS[0];
}

fn main() {}
