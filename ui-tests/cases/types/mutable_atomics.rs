//! Atomics are written through a shared reference, as everywhere in Rust.
use core::sync::atomic::AtomicU32;

#[vyre::kernel]
fn count(hits: &mut [AtomicU32]) {}

fn main() {}
