//! Atomics are written through a shared reference, as everywhere in Rust.
#[vyre::kernel]
fn count(hits: &mut [std::sync::atomic::AtomicU32]) {}

fn main() {}
