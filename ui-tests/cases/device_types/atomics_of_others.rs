//! A struct with parameters and an enum have no counterpart of atomics.

#[vyre::device]
#[derive(Clone, Copy, vyre::Atomics)]
struct Pair<T> {
    first: T,
    second: T,
}

#[vyre::device]
#[derive(Clone, Copy, vyre::Atomics)]
#[repr(u32)]
enum Phase {
    First,
}

fn main() {}
