//! A struct has a counterpart of atomics if it derives it, and atomics are no fields of what buffers hold.

use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
struct Stats {
    hits: u32,
}

#[vyre::device]
#[derive(Clone, Copy)]
#[repr(u32)]
enum Phase {
    First,
}

#[vyre::device]
struct Counters {
    hits: AtomicU32,
}

#[vyre::kernel]
fn underived(stats: &[Atomic<Stats>]) {
    stats[0].hits.fetch_add(1, Ordering::Relaxed);
}

#[vyre::kernel]
fn of_enums(phases: &[Atomic<Phase>]) {
    let _ = &phases[0];
}

#[vyre::kernel]
fn of_scalars(counts: &[Atomic<u32>]) {
    counts[0].store(1, Ordering::Relaxed);
}

#[vyre::kernel]
fn of_arrays(pairs: &[Atomic<[u32; 2]>]) {
    pairs[0][1].store(1, Ordering::Relaxed);
}

fn main() {}
