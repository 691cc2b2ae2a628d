use vyre::prelude::*;

#[vyre::kernel]
fn released(cells: &[AtomicF32]) {
    _ = cells[0].fetch_update(Ordering::AcqRel, Ordering::Release, |x| Some(x * 2.0));
}

#[vyre::kernel]
fn failed(cells: &[AtomicF32]) {
    _ = cells[0].compare_exchange(1.0, 2.0, Ordering::AcqRel, Ordering::AcqRel);
}

#[vyre::kernel]
fn named(cells: &[AtomicF32]) {
    let order = Ordering::Relaxed;
    _ = cells[0].fetch_update(order, Ordering::Relaxed, |x| Some(x * 2.0));
}

#[vyre::kernel]
fn newer(cells: &[AtomicF32]) {
    _ = cells[0].try_update(Ordering::Relaxed, Ordering::Relaxed, |x| Some(x * 2.0));
}

fn main() {}
