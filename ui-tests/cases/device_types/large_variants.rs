//! Fields of variants that are too large to be cut into scalars, and values with variants that no thread has room for.
use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
enum Either {
    Number(u32),
    Bytes([u8; 958_000_000]),
}

#[vyre::device]
#[derive(Clone, Copy)]
enum Generic<const N: usize> {
    Number(u32),
    Bytes([u8; N]),
}

#[vyre::kernel]
fn instance(#[each] e: &mut Generic<958_000_000>) {
    *e = Generic::Number(1);
}

#[vyre::kernel]
fn none_at_all(y: &mut [u8]) {
    let none: Option<[u8; 958_000_000]> = None;
    y[thread::index()] = none.is_some() as u8;
}

fn main() {}
