use core::sync::atomic::AtomicU32;

#[vyre::kernel]
fn count(#[each] y: &mut AtomicU32) {}

fn main() {}
