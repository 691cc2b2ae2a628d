//! Each field of a struct of atomics has a counterpart itself.

#[vyre::device]
#[derive(Clone, Copy)]
struct Inner {
    hits: u32,
}

#[vyre::device]
#[derive(Clone, Copy, vyre::Atomics)]
struct Outer {
    inner: Inner,
}

fn main() {}
