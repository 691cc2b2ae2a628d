use vyre::prelude::*;

#[vyre::kernel]
fn count(a: Slice2<'_, core::sync::atomic::AtomicU32>) {
    a[[0, 0]].fetch_add(1, core::sync::atomic::Ordering::Relaxed);
}

fn main() {}
