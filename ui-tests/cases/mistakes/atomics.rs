use vyre::prelude::*;

#[vyre::kernel]
fn counts(y: &mut [u32]) {
    let count = AtomicU32::new(0);
    count.fetch_add(1, Ordering::Relaxed);
    y[0] = count.load(Ordering::Relaxed);
}

#[vyre::kernel]
fn sums(x: &[f32], y: &mut [f32]) {
    y[0].fetch_add(x[thread::index()], Ordering::Relaxed);
}

#[vyre::kernel]
fn histogram(x: &[u32], counts: &[AtomicU32]) {
    counts[x[thread::index()] as usize] += 1;
}

fn main() {}
