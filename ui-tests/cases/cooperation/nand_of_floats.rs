use vyre::prelude::*;

#[vyre::kernel]
fn mix(cells: &[AtomicF32]) {
    cells[0].fetch_nand(1.0, Ordering::Relaxed);
}

fn main() {}
