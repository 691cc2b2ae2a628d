use std::sync::atomic::{AtomicU64, Ordering};
use vyre::shared;

#[vyre::kernel(block = 64)]
fn mixed(counts: &[AtomicU64], y: &mut [u64]) {
    let all = shared::barriers::<1, 64>();
    counts[0].arrive_and_wait();
    y[0] = all[0].load(Ordering::Relaxed);
}

fn main() {}
