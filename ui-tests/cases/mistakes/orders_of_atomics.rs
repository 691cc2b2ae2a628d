use vyre::prelude::*;

#[vyre::kernel]
fn load(flags: &[AtomicU32], y: &mut [u32]) {
    y[0] = flags[thread::index()].load(Ordering::Release);
}

#[vyre::kernel]
fn store(flags: &[AtomicU32]) {
    flags[thread::index()].store(1, Ordering::AcqRel);
}

#[vyre::kernel]
fn exchange(n: &[AtomicU32]) {
    _ = n[0].compare_exchange(0, 1, Ordering::AcqRel, Ordering::Release);
}

#[vyre::kernel]
fn chosen(n: &[AtomicU32], strong: bool) {
    let order = if strong { Ordering::SeqCst } else { Ordering::Relaxed };
    n[0].fetch_add(1, order);
}

#[vyre::kernel]
fn scope_behind(n: &[AtomicU32]) {
    n[0].fetch_add(1, Ordering::Relaxed).in_block();
}

#[vyre::kernel]
fn each(#[each] n: &mut AtomicU32) {
    n.fetch_add(1, Ordering::Relaxed);
}

fn main() {}
