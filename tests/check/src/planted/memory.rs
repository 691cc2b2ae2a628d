//! Reads of memory that nothing has written, and accesses out of bounds in unsafe code.

use vyre::prelude::*;

super::faults! { "memory.rs"
    corner: Unwritten
    bins: Unwritten
    sums: Unwritten
    counts: Unwritten
    next_frontier: Outside
    probe: Outside
    last_row: Outside
}

/// `examples/edges`: the tile of `link`, whose halo has two ends.
#[vyre::kernel(block = 32, allow(races))]
fn smooth(x: &mut [u32], planted: bool) {
    let tile = shared::<[u32; 34]>();
    let t = thread::idx().x;
    tile[t + 1] = x[t];
    let ends = if planted { 1 } else { 2 };
    if t < ends {
        tile[33 * t] = 0;
    }
    block::sync();
    x[t] = tile[t] + tile[t + 2]; //~ corner
}

fn corner(device: &Device, planted: bool) -> vyre::Result<()> {
    Smooth::dispatch(device, 32, &mut [1; 32], planted)
}

/// `examples/kmeans`: `gather`, of the counts.
#[vyre::kernel(block = 64)]
fn gather(labels: &[u32], counts: &[AtomicU32], planted: bool) {
    let own = shared::slice::<AtomicU32>(counts.len());
    let t = thread::idx().x;
    let cleared = if planted { counts.len() - 1 } else { counts.len() };
    for k in (t..cleared).step_by(64) {
        own[k].store(0, Ordering::Relaxed);
    }
    block::sync();
    own[labels[t] as usize].fetch_add(1, Ordering::Relaxed); //~ bins
    block::sync();
    for k in (t..counts.len()).step_by(64) {
        counts[k].fetch_add(own[k].load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

fn bins(device: &Device, planted: bool) -> vyre::Result<()> {
    let labels = device.upload(&(0..64).map(|i| i % 5).collect::<Vec<u32>>())?;
    let mut counts = device.zeros::<u32>(5)?;
    gather(&labels, &mut counts, planted)
        .over(64)
        .shared_bytes(20)
        .launch(device)?;
    assert_eq!(counts.download()?, [13, 13, 13, 13, 12]);
    Ok(())
}

/// `tests/algorithms`, `reduce.rs`: `by_warps`, with more sums than warps.
#[vyre::kernel(block = 64, allow(races))]
fn by_warps(x: &[f32], total: &mut [f32], planted: bool) {
    let partial = shared::<[f32; 4]>();
    let t = thread::idx().x;
    let sum = warp::sum(x[t]);
    if lane::index() == 0 {
        partial[t / 32] = sum;
    }
    block::sync();
    let warps = if planted { 4 } else { 2 };
    if t == 0 {
        let mut sum = 0.0;
        for w in 0..warps {
            sum += partial[w]; //~ sums
        }
        total[0] = sum;
    }
}

fn sums(device: &Device, planted: bool) -> vyre::Result<()> {
    ByWarps::dispatch(device, 64, &[1.0; 64], &mut [0.0], planted)
}

/// `tests/algorithms`, `radix_sort.rs`: `count_digits`, into memory without values.
#[vyre::kernel(block = 64, allow(races))]
fn count_digits(keys: &[u32], counts: &mut [u32]) {
    let count = shared::<[AtomicU32; 16]>();
    let t = thread::idx().x;
    if t < 16 {
        count[t].store(0, Ordering::Relaxed);
    }
    block::sync();
    count[(keys[t] % 16) as usize].fetch_add(1, Ordering::Relaxed);
    block::sync();
    if t < counts.len() {
        counts[t] = count[t].load(Ordering::Relaxed);
    }
}

#[vyre::kernel(block = 16)]
fn add_up(counts: &[u32], total: &[AtomicU32]) {
    total[0].fetch_add(counts[thread::index()], Ordering::Relaxed); //~ counts
}

fn counts(device: &Device, planted: bool) -> vyre::Result<()> {
    let keys = device.upload(&(0..64).collect::<Vec<u32>>())?;
    let mut counts = device.uninit::<u32>(16)?;
    let mut total = device.zeros::<u32>(1)?;
    let end = if planted { 12 } else { 16 };
    // SAFETY: not so with the fault, and the CPU has zeros there.
    let counts = unsafe {
        let mut all = counts.as_view_mut();
        count_digits(&keys, all.slice_mut(..end)?).over(64).launch(device)?;
        counts.assume_init()
    };
    add_up(&counts, &mut total).over(16).launch(device)?;
    assert_eq!(total.download()?, [64]);
    Ok(())
}

/// `tests/algorithms`, `breadth_first.rs`: `expand`, whose next frontier is too short.
#[vyre::kernel(block = 64, allow(races))]
fn expand(frontier: &[u32], next: &mut [u32], next_length: &[AtomicUsize]) {
    let vertex = frontier[thread::index()];
    let place = next_length[0].fetch_add(1, Ordering::Relaxed);
    // SAFETY: not so with the fault, and the memory is longer than the slice.
    unsafe { *next.get_unchecked_mut(place) = vertex }; //~ next_frontier
}

fn next_frontier(device: &Device, planted: bool) -> vyre::Result<()> {
    let frontier = device.upload(&[1; 64])?;
    let (mut next, mut length) = (device.zeros::<u32>(64)?, device.zeros::<usize>(1)?);
    let room = if planted { 60 } else { 64 };
    expand(&frontier, next.slice_mut(..room)?, &mut length)
        .over(64)
        .launch(device)?;
    assert_eq!(next.download()?, [1; 64]);
    Ok(())
}

/// `tests/algorithms`, `hash_table.rs`: `look_up`, past the end of the table.
#[vyre::kernel(block = 32)]
fn look_up(keys: &[u32], slots: &[u64], values: &mut [u32], planted: bool) {
    let t = thread::index();
    let mask = if planted { slots.len() } else { slots.len() - 1 };
    let at = keys[t] as usize & mask;
    // SAFETY: not so with the fault, and the memory is longer than the slice.
    values[t] = unsafe { *slots.get_unchecked(at) } as u32; //~ probe
}

fn probe(device: &Device, planted: bool) -> vyre::Result<()> {
    let keys = device.upload(&(0..32).collect::<Vec<u32>>())?;
    let slots = device.upload(&[5u64; 17])?;
    let mut values = device.zeros::<u32>(32)?;
    look_up(&keys, slots.slice(..16)?, &mut values, planted)
        .over(32)
        .launch(device)?;
    assert_eq!(values.download()?, [5; 32]);
    Ok(())
}

/// `tests/algorithms`, `sparse.rs`: `by_threads`, which reads the end of the last row.
#[vyre::kernel(block = 32)]
fn by_threads(starts: &[u32], lengths: &mut [u32]) {
    let row = thread::index();
    if row < lengths.len() {
        // SAFETY: not so with the fault, and the memory is longer than the slice.
        let end = unsafe { *starts.get_unchecked(row + 1) }; //~ last_row
        lengths[row] = end - starts[row];
    }
}

fn last_row(device: &Device, planted: bool) -> vyre::Result<()> {
    let starts = device.upload(&(0..9).map(|i| 2 * i).collect::<Vec<u32>>())?;
    let mut lengths = device.zeros::<u32>(8)?;
    let starts = starts.slice(..if planted { 8 } else { 9 })?;
    by_threads(starts, &mut lengths).over(8).launch(device)?;
    assert_eq!(lengths.download()?, [2; 8]);
    Ok(())
}
