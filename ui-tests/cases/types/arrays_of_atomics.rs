//! Atomics are elements of slices, and not parts of their elements.

use vyre::prelude::*;

#[vyre::kernel]
fn pairs(counts: &[[AtomicU32; 2]]) {
    counts[thread::index()][0].fetch_add(1, Ordering::Relaxed);
}

fn main() {}
