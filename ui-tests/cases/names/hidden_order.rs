//! The order of an atomic access.
use vyre::prelude::*;

#[allow(non_snake_case, reason = "the name is what is tested")]
mod Ordering {
    pub use core::sync::atomic::Ordering::SeqCst as Relaxed;
}

#[vyre::kernel]
fn count(hits: &[AtomicU32]) {
    hits[0].fetch_add(1, Ordering::Relaxed);
}

fn main() {}
