//! No atomic has 128 bits.
use vyre::prelude::*;

#[vyre::kernel]
fn counted(y: &[AtomicU128]) {
    y[0].fetch_add(1, Ordering::Relaxed);
}

fn main() {}
