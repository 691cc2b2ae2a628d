use vyre::prelude::*;

#[vyre::kernel]
fn publish(cells: &[AtomicU32], out: &mut [u32]) {
    out[thread::index()] = 1;
    grid::fence(Ordering::Relaxed);
    cells[0].fetch_add(1, Ordering::Relaxed);
}

fn main() {}
