//! The host sets no constants of 128 bits.
#[vyre::constant]
static KEYS: [u128; 2] = [1, 2];

fn main() {}
