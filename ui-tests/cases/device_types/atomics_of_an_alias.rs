//! A type of the name `Atomic` that leads elsewhere is not vyre's.

use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy, vyre::Atomics)]
struct Stats {
    pad: [u32; 64],
    hits: u32,
}

#[vyre::device]
#[derive(Clone, Copy, vyre::Atomics)]
struct Tiny {
    hits: u32,
}

trait Pick {
    type Out;
}

impl Pick for u32 {
    type Out = AtomicU32;
}

impl Pick for Stats {
    type Out = vyre::Atomic<Tiny>;
}

type Atomic<T> = <T as Pick>::Out;

#[vyre::kernel]
fn count(stats: &[Atomic<Stats>]) {
    stats[0].hits.fetch_add(1, Ordering::Relaxed);
}

fn main() {}
