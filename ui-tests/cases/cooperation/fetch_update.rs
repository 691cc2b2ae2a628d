use vyre::prelude::*;

#[vyre::kernel]
fn no_option(cells: &[AtomicU32]) {
    _ = cells[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n + 1);
}

#[vyre::kernel]
fn other_type(cells: &[AtomicF32]) {
    _ = cells[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |x| Some(x as u32));
}

#[vyre::kernel]
fn no_closure(cells: &[AtomicU32]) {
    _ = cells[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, 5);
}

fn main() {}
