use vyre::prelude::*;

#[vyre::kernel]
fn count(cells: &[AtomicU32]) {
    let cell = cells[0].in_block();
    cell.fetch_add(1, Ordering::Relaxed);
}

fn main() {}
