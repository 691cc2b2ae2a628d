use vyre::prelude::*;

#[vyre::device]
fn wait() {
    grid::sync();
}

#[vyre::kernel]
fn twice(x: &[AtomicU32]) {
    x[0].fetch_add(1, Ordering::Relaxed);
    wait();
}

fn main() {}
