use vyre::prelude::*;

#[vyre::device]
fn total(n: u32) -> u32 {
    warp::sum(n)
}

#[vyre::kernel]
fn wait(cells: &[AtomicU32]) {
    _ = cells[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| {
        block::sync();
        Some(n + 1)
    });
    _ = cells[1].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| Some(total(n)));
    let tile = warp::tile::<4>();
    _ = cells[2].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| Some(n + tile.max(n)));
}

fn main() {}
