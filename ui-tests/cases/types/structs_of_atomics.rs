//! `Atomic<T>` is passed by shared reference.

use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy, vyre::Atomics)]
struct Stats {
    hits: u32,
}

#[vyre::kernel]
fn written(stats: &mut [Atomic<Stats>]) {
    stats[0].hits.fetch_add(1, Ordering::Relaxed);
}

#[vyre::kernel]
fn by_value(stats: Atomic<Stats>) {
    stats.hits.fetch_add(1, Ordering::Relaxed);
}

fn main() {}
