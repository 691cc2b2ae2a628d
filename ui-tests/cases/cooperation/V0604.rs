use vyre::prelude::*;

#[vyre::kernel]
fn grid_sync_of_each(#[each] x: &f32, #[each] y: &mut f32) {
    let value = *x;
    grid::sync();
    *y = value;
}

#[vyre::kernel]
fn return_before_grid_sync(x: &[AtomicU32]) {
    let i = thread::index();
    if i >= x.len() {
        return;
    }
    x[i].fetch_add(1, Ordering::Relaxed);
    grid::sync();
}

fn main() {}
