//! Races between blocks: through atomics that order too little, and without any.

use vyre::prelude::*;

super::faults! { "blocks.rs"
    counter: Race
    published_sum: Race
    published_word: Race
    fences: Race
    barrier_of_the_grid: Race
    scope: ScopeRace
    atomic_beside_plain: MixedRace
    same_cell: Race
    same_digit: Race
    halo: Race
    lock: Race
}

/// A counter without atomics.
#[vyre::kernel(block = 1, allow(races))]
fn count(counter: &mut [u32], planted: bool) {
    let at = if planted { 0 } else { block::idx().x };
    counter[at] += 1; //~ counter
}

fn counter(device: &Device, planted: bool) -> vyre::Result<()> {
    Count::dispatch(device, 4, &mut [0; 4], planted)
}

/// `tests/algorithms`, `reduce.rs`: `in_one_launch`, whose last block reads the sums of the others.
#[vyre::kernel(block = 1, allow(races))]
fn total(x: &[f32], blocks: &mut [f32], finished: &[AtomicU32], total: &mut [f32], planted: bool) {
    let b = block::idx().x;
    blocks[b] = x[b]; //~ published_sum
    let before = if planted {
        finished[0].fetch_add(1, Ordering::Relaxed)
    } else {
        finished[0].fetch_add(1, Ordering::AcqRel)
    };
    if before as usize == grid::dim().x - 1 {
        let mut sum = 0.0;
        for other in 0..grid::dim().x {
            sum += blocks[other]; //~ published_sum
        }
        total[0] = sum;
    }
}

fn published_sum(device: &Device, planted: bool) -> vyre::Result<()> {
    let x = device.upload(&[1.0; 5])?;
    let mut blocks = device.zeros::<f32>(5)?;
    let (mut finished, mut sum) = (device.zeros::<u32>(1)?, device.zeros::<f32>(1)?);
    total(&x, &mut blocks, &mut finished, &mut sum, planted)
        .over(5)
        .launch(device)?;
    assert_eq!(sum.download()?, [5.0]);
    Ok(())
}

/// `tests/algorithms`, `scan.rs`: a tile publishes its sum beside the flag, in place of within it.
#[vyre::kernel(block = 1, allow(races))]
fn look_back(sums: &mut [u32], ready: &[AtomicU32], taken: &[AtomicU32], planted: bool) {
    let tile = taken[0].fetch_add(1, Ordering::Relaxed) as usize;
    let mut before = 0;
    if tile > 0 {
        while ready[tile - 1].load(Ordering::Acquire) == 0 {}
        before = sums[tile - 1]; //~ published_word
    }
    sums[tile] = before + 1; //~ published_word
    if planted {
        ready[tile].store(1, Ordering::Relaxed);
    } else {
        ready[tile].store(1, Ordering::Release);
    }
}

fn published_word(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut sums = device.zeros::<u32>(4)?;
    let (mut ready, mut taken) = (device.zeros::<u32>(4)?, device.zeros::<u32>(1)?);
    look_back(&mut sums, &mut ready, &mut taken, planted)
        .over(4)
        .launch(device)?;
    assert_eq!(sums.download()?, [1, 2, 3, 4]);
    Ok(())
}

/// The example of `grid::fence`: relaxed accesses between fences.
#[vyre::kernel(block = 1, allow(races))]
fn fenced(partial: &mut [u32], done: &[AtomicU32], total: &mut [u32], planted: bool) {
    let b = block::idx().x;
    partial[b] = 2; //~ fences
    if !planted {
        grid::fence(Ordering::Release);
    }
    let before = done[0].fetch_add(1, Ordering::Relaxed) as usize;
    if before == grid::dim().x - 1 {
        grid::fence(Ordering::Acquire);
        for other in 0..grid::dim().x {
            total[0] += partial[other]; //~ fences
        }
    }
}

fn fences(device: &Device, planted: bool) -> vyre::Result<()> {
    let (mut partial, mut sum) = (device.zeros::<u32>(4)?, device.zeros::<u32>(1)?);
    let mut done = device.zeros::<u32>(1)?;
    fenced(&mut partial, &mut done, &mut sum, planted)
        .over(4)
        .launch(device)?;
    assert_eq!(sum.download()?, [8]);
    Ok(())
}

/// `tests/algorithms`, `conjugate_gradient.rs`: the sum over all blocks.
#[vyre::kernel(block = 32, allow(races))]
fn of_grid(sums: &mut [f32], totals: &mut [f32], planted: bool) {
    if thread::idx().x == 0 {
        sums[block::idx().x] = 1.0; //~ barrier_of_the_grid
    }
    if planted {
        block::sync();
    } else {
        grid::sync();
    }
    if thread::idx().x == 0 {
        let mut total = 0.0;
        for number in 0..grid::dim().x {
            total += sums[number]; //~ barrier_of_the_grid
        }
        totals[block::idx().x] = total;
    }
    grid::sync();
}

fn barrier_of_the_grid(device: &Device, planted: bool) -> vyre::Result<()> {
    let (mut sums, mut totals) = (device.zeros::<f32>(3)?, device.zeros::<f32>(3)?);
    of_grid(&mut sums, &mut totals, planted).grid(3).launch(device)?;
    assert_eq!(totals.download()?, [3.0; 3]);
    Ok(())
}

/// `examples/reduce`: `maximum`, with the scope of the block.
#[vyre::kernel(block = 64)]
fn maximum(values: &[u32], largest: &[AtomicU32], planted: bool) {
    let value = values[thread::index()];
    if planted {
        largest[0].in_block().fetch_max(value, Ordering::Relaxed); //~ scope
    } else {
        largest[0].fetch_max(value, Ordering::Relaxed);
    }
}

fn scope(device: &Device, planted: bool) -> vyre::Result<()> {
    let values = device.upload(&(0..128).collect::<Vec<u32>>())?;
    let mut largest = device.zeros::<u32>(1)?;
    maximum(&values, &mut largest, planted).over(128).launch(device)?;
    assert_eq!(largest.download()?, [127]);
    Ok(())
}

/// `tests/algorithms`, `scan.rs`: a volatile flag between the blocks, which is also read as plain memory.
#[vyre::kernel(block = 1, allow(races))]
fn flags(ready: &mut [u32], planted: bool) {
    let b = block::idx().x;
    store::volatile(&mut ready[b], 1); //~ atomic_beside_plain
    if planted {
        ready[3 + b] = ready[2 - b]; //~ atomic_beside_plain
    } else {
        ready[3 + b] = load::volatile(&ready[2 - b]);
    }
}

fn atomic_beside_plain(device: &Device, planted: bool) -> vyre::Result<()> {
    Flags::dispatch(device, 3, &mut [0; 6], planted)
}

/// `examples/life`: `evolve`, whose threads write the cells of one row.
#[vyre::kernel(block = [8, 4], allow(races))]
fn evolve(now: Slice2<'_, u8>, mut next: SliceMut2<'_, u8>, planted: bool) {
    let (column, row) = thread::index_2d();
    if column < next.cols() && row < next.rows() {
        let target = if planted { row / 2 } else { row };
        next[[target, column]] = now[[row, column]]; //~ same_cell
    }
}

fn same_cell(device: &Device, planted: bool) -> vyre::Result<()> {
    let now = device.upload(&[1u8; 64])?;
    let mut next = device.zeros::<u8>(64)?;
    let now = now.view2(8, 8)?;
    evolve(now, next.view2_mut(8, 8)?, planted)
        .over([8, 8])
        .launch(device)?;
    assert_eq!(next.download()?, [1; 64]);
    Ok(())
}

/// `tests/algorithms`, `radix_sort.rs`: `scatter`, of one warp and digit.
#[vyre::kernel(block = 32, allow(races))]
fn scatter(keys: &[u32], sorted: &mut [u32], planted: bool) {
    let t = thread::idx().x;
    let same = warp::match_any(keys[t]);
    let in_front = (same & ((1 << lane::index()) - 1)).count_ones() as usize;
    let first = if keys[t] == 0 { 0 } else { 16 };
    let place = if planted { first } else { first + in_front };
    sorted[place] = keys[t]; //~ same_digit
}

fn same_digit(device: &Device, planted: bool) -> vyre::Result<()> {
    let keys: Vec<u32> = (0..32).map(|i| i % 2).collect();
    let mut sorted = [7; 32];
    Scatter::dispatch(device, 32, &keys, &mut sorted, planted)?;
    assert!(sorted.is_sorted());
    Ok(())
}

/// `examples/heat`: `step`, in place.
#[vyre::kernel(block = 4, allow(races))]
fn step(x: &mut [f32], half: usize, planted: bool) {
    let i = thread::index();
    if i + 1 < half {
        let from = if planted { 0 } else { half };
        let near = x[from + i + 1]; //~ halo
        x[i] = near; //~ halo
    }
}

fn halo(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut x = [1.0; 32];
    Step::dispatch(device, 16, &mut x, 16, planted)
}

/// A spin lock whose release orders nothing.
#[vyre::kernel(block = 1, allow(races))]
fn locked(lock: &[AtomicU32], value: &mut [u32], planted: bool) {
    while lock[0]
        .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
        .is_err()
    {}
    value[0] += 1; //~ lock
    if planted {
        lock[0].store(0, Ordering::Relaxed);
    } else {
        lock[0].store(0, Ordering::Release);
    }
}

fn lock(device: &Device, planted: bool) -> vyre::Result<()> {
    let (mut lock, mut value) = (device.zeros::<u32>(1)?, device.zeros::<u32>(1)?);
    locked(&mut lock, &mut value, planted).over(5).launch(device)?;
    assert_eq!(value.download()?, [5]);
    Ok(())
}
