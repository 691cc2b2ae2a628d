//! Races in the shared memory of a block: a barrier is missing.

use vyre::prelude::*;

super::faults! { "shared.rs"
    halves: Race
    start_of_the_tree: Race
    over_the_back_edge: Race
    columns: Race
    butterflies: Race
    one_warp_behind: Race
    places_of_digits: Race
    last_block: Race
    pivots: Race
    edges: Race
    tile_of_the_block: Race
}

/// `tests/algorithms`, `reduce.rs`: `by_halves`.
#[vyre::kernel(block = 128, allow(races))]
fn by_halves(x: &[f32], sums: &mut [f32], planted: bool) {
    let partial = shared::<[f32; 128]>();
    let (i, t) = (thread::index(), thread::idx().x);
    partial[t] = x[i];
    block::sync();
    let mut half = 64;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half]; //~ halves
        }
        if !planted {
            block::sync();
        }
        half /= 2;
    }
    if t == 0 {
        sums[block::idx().x] = partial[0];
    }
}

fn halves(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut sums = [0.0; 2];
    ByHalves::dispatch(device, 256, &[1.0; 256], &mut sums, planted)?;
    assert_eq!(sums, [128.0; 2]);
    Ok(())
}

/// `examples/reduce`: `block_sums`.
#[vyre::kernel(block = 256, allow(races))]
fn block_sums(values: &[f32], sums: &mut [f32], planted: bool) {
    let partial = shared::<[f32; 256]>();
    let t = thread::idx().x;
    let mut sum = 0.0;
    let mut i = thread::index();
    while i < values.len() {
        sum += values[i];
        i += grid::dim().x * block::dim().x;
    }
    partial[t] = sum; //~ start_of_the_tree
    if !planted {
        block::sync();
    }
    let mut half = 128;
    while half > 0 {
        if t < half {
            let other = partial[t + half]; //~ start_of_the_tree
            partial[t] += other;
        }
        block::sync();
        half /= 2;
    }
    if t == 0 {
        sums[block::idx().x] = partial[0];
    }
}

fn start_of_the_tree(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut sums = [0.0; 2];
    BlockSums::dispatch(device, 512, &[1.0; 700], &mut sums, planted)?;
    assert_eq!(sums[0] + sums[1], 700.0);
    Ok(())
}

/// `tests/algorithms`, `bitonic_sort.rs`: `sort_chunks`, of 64 keys.
#[vyre::kernel(block = 64, allow(races))]
fn sort_chunks(keys: &mut [u32], planted: bool) {
    let chunk = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let mut key = keys[i];
    let mut size = 2;
    while size <= 64 {
        let mut mask = size - 1;
        let mut distance = size / 2;
        while distance > 0 {
            chunk[t] = key; //~ over_the_back_edge
            block::sync();
            let other = chunk[t ^ mask]; //~ over_the_back_edge
            key = if t & distance == 0 {
                key.min(other)
            } else {
                key.max(other)
            };
            if !planted {
                block::sync();
            }
            distance /= 2;
            mask = distance;
        }
        size *= 2;
    }
    keys[i] = key;
}

fn over_the_back_edge(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut keys: Vec<u32> = (0..64).map(|i| i * 37 % 64).collect();
    SortChunks::dispatch(device, 64, &mut keys, planted)?;
    assert!(keys.is_sorted());
    Ok(())
}

/// `tests/algorithms`, `transpose.rs`: `tiled`.
#[vyre::kernel(block = [32, 8], allow(races))]
fn tiled(source: Slice2<'_, f32>, mut target: SliceMut2<'_, f32>, planted: bool) {
    const SIDE: usize = 32;
    let tile = shared::<[[f32; SIDE + 1]; SIDE]>();
    let (across, down) = (thread::idx().x, thread::idx().y);
    let (left, top) = (block::idx().x * SIDE, block::idx().y * SIDE);
    for k in (0..SIDE).step_by(8) {
        let row = down + k;
        if left + across < source.cols() && top + row < source.rows() {
            tile[row][across] = source[[top + row, left + across]]; //~ columns
        }
    }
    if !planted {
        block::sync();
    }
    for k in (0..SIDE).step_by(8) {
        let row = down + k;
        if top + across < target.cols() && left + row < target.rows() {
            target[[left + row, top + across]] = tile[across][row]; //~ columns
        }
    }
}

fn columns(device: &Device, planted: bool) -> vyre::Result<()> {
    let source = device.upload(&(0..40 * 33).map(|i| i as f32).collect::<Vec<_>>())?;
    let mut target = device.zeros::<f32>(40 * 33)?;
    tiled(source.view2(33, 40)?, target.view2_mut(40, 33)?, planted)
        .grid([2, 2])
        .launch(device)?;
    assert_eq!(target.download()?[33], 1.0);
    Ok(())
}

/// `tests/algorithms`, `fft.rs`: `transform`, of 64 real parts.
#[vyre::kernel(block = 32, allow(races))]
fn transform(re: &mut [f32], planted: bool) {
    let row = shared::<[f32; 64]>();
    let t = thread::idx().x;
    for k in (t..64).step_by(32) {
        row[(k as u32).reverse_bits() as usize >> 26] = re[k]; //~ butterflies
    }
    if !planted {
        block::sync();
    }
    let mut half = 1;
    while half < 64 {
        let k = t % half;
        let even = t / half * 2 * half + k;
        let turned = row[even + half]; //~ butterflies
        row[even + half] = row[even] - turned;
        row[even] += turned;
        block::sync();
        half *= 2;
    }
    for k in (t..64).step_by(32) {
        re[k] = row[k];
    }
}

fn butterflies(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut re = [1.0; 64];
    Transform::dispatch(device, 32, &mut re, planted)?;
    assert_eq!(re[..2], [64.0, 0.0]);
    Ok(())
}

/// `tests/algorithms`, `reduce.rs`: `by_warps`.
#[vyre::kernel(block = 128, allow(races))]
fn by_warps(x: &[f32], sums: &mut [f32], planted: bool) {
    let partial = shared::<[f32; 4]>();
    let (i, t) = (thread::index(), thread::idx().x);
    let sum = warp::sum(x[i]);
    if lane::index() == 0 {
        partial[t / warp::size()] = sum; //~ one_warp_behind
    }
    if !planted {
        block::sync();
    }
    if t == 0 {
        let mut total = 0.0;
        for w in 0..4 {
            total += partial[w]; //~ one_warp_behind
        }
        sums[block::idx().x] = total;
    }
}

fn one_warp_behind(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut sums = [0.0; 1];
    ByWarps::dispatch(device, 128, &[1.0; 128], &mut sums, planted)?;
    assert_eq!(sums, [128.0]);
    Ok(())
}

/// `tests/algorithms`, `radix_sort.rs`: `first_places`.
#[vyre::kernel(block = 128, allow(races))]
fn first_places(counts: &mut [u32], planted: bool) {
    let sum_of_warp = shared::<[u32; 4]>();
    let t = thread::idx().x;
    let mut before = 0;
    for first in (0..counts.len()).step_by(128) {
        let i = first + t;
        let count = if i < counts.len() { counts[i] } else { 0 };
        let below = warp::exclusive_sum(count);
        if lane::index() == 31 {
            sum_of_warp[t / 32] = below + count; //~ places_of_digits
        }
        block::sync();
        let mut place = before + below;
        for w in 0..4 {
            let sum = sum_of_warp[w]; //~ places_of_digits
            if w < t / 32 {
                place += sum;
            }
            before += sum;
        }
        if !planted {
            block::sync();
        }
        if i < counts.len() {
            counts[i] = place;
        }
    }
}

fn places_of_digits(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut counts = [2; 300];
    FirstPlaces::dispatch(device, 128, &mut counts, planted)?;
    assert_eq!(counts[299], 598);
    Ok(())
}

/// `tests/algorithms`, `reduce.rs`: `in_one_launch`.
#[vyre::kernel(block = 64, allow(races))]
fn in_one_launch(finished: &[AtomicU32], lasts: &[AtomicU32], planted: bool) {
    let last = shared::<[bool; 1]>();
    if thread::idx().x == 0 {
        let before = finished[0].fetch_add(1, Ordering::AcqRel);
        last[0] = before as usize == grid::dim().x - 1; //~ last_block
    }
    if !planted {
        block::sync();
    }
    let is_last = last[0]; //~ last_block
    if is_last {
        lasts[0].fetch_add(1, Ordering::Relaxed);
    }
}

fn last_block(device: &Device, planted: bool) -> vyre::Result<()> {
    let (mut finished, mut lasts) = (device.zeros::<u32>(1)?, device.zeros::<u32>(1)?);
    in_one_launch(&mut finished, &mut lasts, planted)
        .over(192)
        .launch(device)?;
    assert_eq!(lasts.download()?, [64]);
    Ok(())
}

/// `tests/algorithms`, `lu.rs`: `exchange`.
#[vyre::kernel(block = 32, allow(races))]
fn exchange(a: &mut [f32], n: usize, k: usize, planted: bool) {
    let t = thread::idx().x;
    let mut greatest = -1.0;
    let mut at = 0;
    for row in (k + t..n).step_by(32) {
        let size = a[row * n + k].abs(); //~ pivots
        if size > greatest {
            greatest = size;
            at = row;
        }
    }
    let all = warp::max(greatest);
    let row = warp::min(if greatest == all { at } else { usize::MAX });
    // Lanes exchange elements of the column that others have compared.
    if !planted {
        warp::sync();
    }
    if row != k {
        for column in (t..n).step_by(32) {
            let upper = a[k * n + column];
            a[k * n + column] = a[row * n + column]; //~ pivots
            a[row * n + column] = upper;
        }
    }
}

fn pivots(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut a: Vec<f32> = (0..25).map(|i| i as f32).collect();
    Exchange::dispatch(device, 32, &mut a, 5, 1, planted)?;
    assert_eq!((a[5], a[20]), (20.0, 5.0));
    Ok(())
}

/// `examples/edges`: `link`, of one tile.
#[vyre::kernel(block = 32, allow(races))]
fn link(marks: &mut [u32], planted: bool) {
    let tile = shared::<[u32; 34]>();
    let t = thread::idx().x;
    if t < 2 {
        tile[33 * t] = 0;
    }
    tile[t + 1] = marks[t];
    let mut growing = block::sync_or(marks[t] == 1);
    while growing {
        // All threads read before any of them writes.
        let clear = tile[t + 1] == 1 && (tile[t] == 2 || tile[t + 2] == 2); //~ edges
        if !planted {
            block::sync();
        }
        if clear {
            tile[t + 1] = 2; //~ edges
        }
        growing = block::sync_or(clear);
    }
    marks[t] = tile[t + 1];
}

fn edges(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut marks = [1; 32];
    marks[7] = 2;
    Link::dispatch(device, 32, &mut marks, planted)?;
    assert_eq!(marks, [2; 32]);
    Ok(())
}

/// `tests/algorithms`, `scan.rs`: the first step of `running_sums`.
#[vyre::kernel(block = 64, allow(races))]
fn claim(taken: &[AtomicU32], tiles: &mut [u32], planted: bool) {
    let tile_of_block = shared::<[usize; 1]>();
    let t = thread::idx().x;
    if t == 0 {
        tile_of_block[0] = taken[0].fetch_add(1, Ordering::Relaxed) as usize; //~ tile_of_the_block
    }
    if !planted {
        block::sync();
    }
    let tile = tile_of_block[0]; //~ tile_of_the_block
    tiles[(tile % 2) * 64 + t] = 1;
}

fn tile_of_the_block(device: &Device, planted: bool) -> vyre::Result<()> {
    let (mut taken, mut tiles) = (device.zeros::<u32>(1)?, device.zeros::<u32>(128)?);
    claim(&mut taken, &mut tiles, planted).over(128).launch(device)?;
    assert_eq!(tiles.download()?, [1; 128]);
    Ok(())
}
