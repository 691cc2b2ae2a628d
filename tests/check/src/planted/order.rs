//! Results that depend on the order of blocks or threads, without a race.

use vyre::prelude::*;

super::faults! { "order.rs"
    frontier: Order
    cleared_bins: Order
    last_writer: Order
    first_value: Order
}

/// `tests/algorithms`, `breadth_first.rs`: `expand`, whose frontier has the order in which threads come.
#[vyre::kernel(block = 32, allow(races))]
fn expand(next: &mut [u32], next_length: &[AtomicUsize], planted: bool) {
    let i = thread::index();
    let place = next_length[0].fetch_add(1, Ordering::Relaxed);
    next[if planted { place } else { i }] = i as u32; //~ frontier
}

fn frontier(device: &Device, planted: bool) -> vyre::Result<()> {
    let (mut next, mut length) = (device.zeros::<u32>(64)?, device.zeros::<usize>(1)?);
    expand(&mut next, &mut length, planted).over(64).launch(device)?;
    assert_eq!(next.download()?[63], 63);
    Ok(())
}

/// `examples/histogram`: bins that are cleared while others count. All accesses are atomic, so there is no race.
#[vyre::kernel(block = 64)]
fn histogram(bytes: &[u8], bins: &[AtomicU32], planted: bool) {
    let counts = shared::<[AtomicU32; 64]>();
    let t = thread::idx().x;
    counts[t].store(0, Ordering::Relaxed);
    block::sync();
    if planted {
        counts[t].store(0, Ordering::Relaxed);
    }
    counts[bytes[t] as usize].fetch_add(1, Ordering::Relaxed);
    block::sync();
    bins[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed); //~ cleared_bins
}

fn cleared_bins(device: &Device, planted: bool) -> vyre::Result<()> {
    let bytes = device.upload(&[5u8; 64])?;
    let mut bins = device.zeros::<u32>(64)?;
    histogram(&bytes, &mut bins, planted).over(64).launch(device)?;
    assert_eq!(bins.download()?[5], 64);
    Ok(())
}

/// The last block of the launch decides.
#[vyre::kernel(block = 1)]
fn write_last(winner: &[AtomicU32], planted: bool) {
    let own = if planted { block::idx().x as u32 } else { 7 };
    winner[0].store(own, Ordering::Relaxed); //~ last_writer
}

fn last_writer(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut winner = device.zeros::<u32>(1)?;
    write_last(&mut winner, planted).over(4).launch(device)?;
    assert_eq!(winner.download()?, [7]);
    Ok(())
}

/// `tests/algorithms`, `hash_table.rs`: `insert`, where the first value of a key stays, in place of the least.
#[vyre::kernel(block = 32)]
fn insert(slots: &[AtomicU64], planted: bool) {
    let value = 1 + thread::index() as u64;
    let done = slots[0].compare_exchange(0, value, Ordering::Relaxed, Ordering::Relaxed); //~ first_value
    if done.is_err() && !planted {
        slots[0].fetch_min(value, Ordering::Relaxed);
    }
}

fn first_value(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut slots = device.zeros::<u64>(1)?;
    insert(&mut slots, planted).over(64).launch(device)?;
    assert_eq!(slots.download()?, [1]);
    Ok(())
}
