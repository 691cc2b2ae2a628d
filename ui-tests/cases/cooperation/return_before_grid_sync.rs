use vyre::prelude::*;

#[vyre::kernel]
fn twice(x: &[AtomicU32]) {
    let i = thread::index();
    if i >= x.len() {
        return;
    }
    x[i].fetch_add(1, Ordering::Relaxed);
    grid::sync();
}

fn main() {}
