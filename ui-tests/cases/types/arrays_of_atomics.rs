//! Arrays of atomics are passed by shared reference, as atomics are.

use vyre::prelude::*;

#[vyre::kernel]
fn pairs(counts: &mut [[AtomicU32; 2]]) {
    counts[thread::index()][0].fetch_add(1, Ordering::Relaxed);
}

fn main() {}
