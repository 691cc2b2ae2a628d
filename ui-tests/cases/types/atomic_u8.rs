use core::sync::atomic::AtomicU8;

#[vyre::kernel]
fn count(hits: &[AtomicU8]) {}

fn main() {}
