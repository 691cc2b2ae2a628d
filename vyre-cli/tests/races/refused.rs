//! Kernels that race, or whose threads part at a barrier. None may be proven.

use core::sync::atomic::{AtomicU32, Ordering};

/// Two threads have one half.
#[vyre::kernel]
fn halved_index(y: &mut [f32]) {
    let i = thread::index();
    if i / 2 < y.len() {
        y[i / 2] = 1.0;
    }
}

/// Threads that are `n` apart have one remainder.
#[vyre::kernel]
fn remainder(n: usize, y: &mut [f32]) {
    let i = thread::index();
    if n <= y.len() && n > 0 {
        y[i % n] = 1.0;
    }
}

/// The index comes from memory.
#[vyre::kernel]
fn scatter(j: &[u32], y: &mut [f32]) {
    let i = thread::index();
    if i < j.len() {
        y[j[i] as usize] = 1.0;
    }
}

/// The next element is written by the next thread.
#[vyre::kernel]
fn shift(y: &mut [f32]) {
    let i = thread::index();
    if i + 1 < y.len() {
        y[i + 1] = y[i];
    }
}

/// All threads write one element.
#[vyre::kernel]
fn one_element(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < x.len() && !y.is_empty() {
        y[0] = x[i];
    }
}

/// The tile is read before all of it is written.
#[vyre::kernel(block = 256)]
fn tile_without_barrier(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 256]>();
    let t = thread::idx().x;
    let i = thread::index();
    if i < x.len() {
        tile[t] = x[i];
    }
    if i < y.len() {
        y[i] = tile[255 - t];
    }
}

/// The steps of the tree are not separated.
#[vyre::kernel(block = 256)]
fn tree_without_barrier(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 256]>();
    let t = thread::idx().x;
    let i = thread::index();
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    block::sync();
    let mut s = 128;
    while s > 0 {
        if t < s {
            tile[t] += tile[t + s];
        }
        s /= 2;
    }
    if t == 0 {
        y[block::idx().x] = tile[0];
    }
}

/// A write of the next iteration comes while others still read.
#[vyre::kernel(block = 256)]
fn write_after_read(x: &[f32], y: &mut [f32], steps: usize) {
    let tile = shared::<[f32; 256]>();
    let t = thread::idx().x;
    let i = thread::index();
    let mut sum = 0.0;
    for k in 0..steps {
        tile[t] = x[k * 256 + t];
        block::sync();
        sum += tile[255 - t];
    }
    y[i] = sum;
}

/// A column may be the first one of the next row.
#[vyre::kernel(block = [16, 16])]
fn unguarded_column(y: &mut [f32], w: u32) {
    let (c, r) = thread::index_2d();
    if r * (w as usize) + c < y.len() {
        y[r * (w as usize) + c] = 1.0;
    }
}

/// A product may wrap.
#[vyre::kernel]
fn wrapping_product(y: &mut [f32], k: usize) {
    let i = thread::index();
    if i.wrapping_mul(k) < y.len() {
        y[i.wrapping_mul(k)] = 1.0;
    }
}

/// A part of the block comes to the barrier.
#[vyre::kernel(block = 64)]
fn parted_barrier(y: &mut [f32]) {
    let tile = shared::<[f32; 64]>();
    let t = thread::idx().x;
    let i = thread::index();
    tile[t] = 1.0;
    if t < 16 {
        block::sync();
    }
    if i < y.len() {
        y[i] = tile[63 - t];
    }
}

/// A part of the warp comes to the exchange, and the others go on.
#[vyre::kernel(block = 64)]
fn parted_shuffle(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    let mut value = 0.0;
    if x[i] > 3.0 {
        value = warp::shuffle_down(x[i], 1);
    }
    y[i] = value;
}

/// Both threads of a pair swap.
#[vyre::kernel]
fn swap_by_both(y: &mut [f32], j: usize) {
    let i = thread::index();
    let other = i ^ j;
    if other != i && i < y.len() && other < y.len() {
        let (a, b) = (y[i], y[other]);
        y[i] = b;
        y[other] = a;
    }
}

/// Each thread has another partner, so two may have one.
#[vyre::kernel]
fn swap_with_own_distance(y: &mut [f32], j: &[u32]) {
    let i = thread::index();
    if i < j.len() {
        let other = i ^ j[i] as usize;
        if other > i && other < y.len() {
            let (a, b) = (y[i], y[other]);
            y[i] = b;
            y[other] = a;
        }
    }
}

/// The next ticket is one more, and the slot has two elements.
#[vyre::kernel]
fn narrow_tickets(next: &[AtomicU32], y: &mut [u32]) {
    let slot = next[0].fetch_add(1, Ordering::Relaxed) as usize;
    y[slot] = 1;
    y[slot + 1] = 2;
}

/// A thread puts the counter back.
#[vyre::kernel]
fn tickets_from_zero(next: &[AtomicU32], y: &mut [u32]) {
    let slot = next[0].fetch_add(1, Ordering::Relaxed) as usize;
    y[slot] = 1;
    if slot == 100 {
        next[0].store(0, Ordering::Relaxed);
    }
}

/// Counters of several cells give out the same numbers.
#[vyre::kernel]
fn tickets_of_cells(x: &[u32], next: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    if i < x.len() {
        let slot = next[x[i] as usize].fetch_add(1, Ordering::Relaxed) as usize;
        y[slot] = 1;
    }
}

/// The number of tickets has no limit, so the counter may wrap.
#[vyre::kernel]
fn endless_tickets(next: &[AtomicU32], y: &mut [u32], steps: usize) {
    for _ in 0..steps {
        let slot = next[0].fetch_add(1, Ordering::Relaxed) as usize;
        y[slot] = 1;
    }
}

/// A slot is no part of another product of its number: that of `n = 1` is the next but one.
#[vyre::kernel]
fn tickets_times_a_parameter(next: &[AtomicU32], y: &mut [u32], n: usize) {
    let slot = next[0].fetch_add(1, Ordering::Relaxed) as usize;
    y[slot] = 1;
    y[slot * n + slot] = 2;
}

/// A launch may pass the counter twice.
#[vyre::kernel]
fn tickets_of_two_views(next: &[AtomicU32], reset: &[AtomicU32], y: &mut [u32]) {
    let slot = next[0].fetch_add(1, Ordering::Relaxed);
    y[slot as usize] = 1;
    reset[0].store(0, Ordering::Relaxed);
}

/// The buffers do not change places, so a thread reads what its neighbour writes.
#[vyre::kernel(block = 64)]
fn one_buffer_of_two(x: &mut [f32], steps: u32) {
    let tiles = shared::<[[f32; 66]; 2]>();
    let t = thread::idx().x + 1;
    tiles[0][t] = x[thread::index()];
    let mut now = 0;
    block::sync();
    for _ in 0..steps {
        tiles[now][t] = 0.5 * tiles[now][t] + 0.25 * (tiles[now][t - 1] + tiles[now][t + 1]);
        block::sync();
        now = 1 - now;
    }
    x[thread::index()] = tiles[now][t];
}

/// The buffers change places before the barrier, so the threads disagree about them.
#[vyre::kernel(block = 64)]
fn buffers_of_each_thread(x: &mut [f32], steps: u32) {
    let tiles = shared::<[[f32; 66]; 2]>();
    let t = thread::idx().x + 1;
    tiles[0][t] = x[thread::index()];
    let mut now = 0;
    block::sync();
    for step in 0..steps {
        tiles[1 - now][t] = 0.5 * tiles[now][t] + 0.25 * (tiles[now][t - 1] + tiles[now][t + 1]);
        if step % 2 == 0 {
            block::sync();
        }
        now = 1 - now;
    }
    x[thread::index()] = tiles[now][t];
}

/// One column too many, which is a neighbour's.
#[vyre::kernel(block = [16, 16])]
fn wide_border(x: &[f32], y: &mut [f32], width: usize) {
    let tile = shared::<[[f32; 20]; 16]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let (column, row) = thread::index_2d();
    tile[ty][tx + 2] = x[row * width + column];
    if tx + 2 < 5 {
        tile[ty][tx] = 0.0;
    }
    block::sync();
    if column < width {
        y[row * width + column] = tile[ty][tx] + tile[ty][tx + 4];
    }
}

/// The step is too short, so a thread comes to the elements of the next ones.
#[vyre::kernel]
fn short_stride(y: &mut [f32]) {
    for i in (thread::index()..y.len()).step_by(grid::dim().x) {
        y[i] += 1.0;
    }
}

/// Rows of the tile are longer than the turns go, but the tile is narrower than they are.
#[vyre::kernel(block = [8, 32])]
fn rows_that_overlap(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 512]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    let mut column = tx;
    while column < 12 {
        tile[ty * 10 + column] = x[column];
        column += 8;
    }
    block::sync();
    y[thread::index()] = tile[ty * 10 + tx];
}

/// The trip is no number of its sum: it is 0 for all even threads.
#[vyre::kernel(block = 256)]
fn trips_that_wrap(y: &mut [u8], n: usize, s: usize, f: usize) {
    let k = thread::idx().x.wrapping_mul(1 << 63);
    if block::idx().x == 0 {
        let left = if f < n { n - f } else { 0 };
        let trips = left / s + (left % s).min(1);
        if k < trips {
            y[f.wrapping_add(k.wrapping_mul(s))] = 1;
        }
    }
}

/// One of three numbers, around the one behind which signed ones begin.
#[vyre::kernel(block = 256)]
fn number_in_the_middle(x: &[u64], y: &mut [u32]) {
    let t = thread::index() as u64;
    let n = x[0];
    if n >= 0x7FFF_FFFF_FFFF_FFFF && n <= 0x8000_0000_0000_0001 {
        y[t as usize] = 1;
        y[(t.wrapping_add(n.wrapping_sub(0x8000_0000_0000_0000))) as usize] = 2;
    }
}

/// A guard on a value that wraps, of which the start of a counter is one less.
#[vyre::kernel(block = 256)]
fn group_that_wraps(y: &mut [u8], n: u16, c: usize) {
    let t = (thread::idx().x as u32) * 16843009;
    let v = t.wrapping_add(1);
    let n = n as u32;
    if block::idx().x == 0 && v < n {
        let mut x = t;
        while x < 4294901761 {
            x = x.wrapping_add(n);
        }
        let j = (x as usize).wrapping_sub(c);
        if j < y.len() {
            y[j] = 1;
        }
    }
}

/// Some threads have returned, but others come back.
#[vyre::kernel(block = 64)]
fn return_in_a_branch(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if thread::idx().x < 16 {
        if x[i] == 3 {
            return;
        }
        block::sync();
    }
    y[i] = 1;
}

/// The same before an exchange.
#[vyre::kernel(block = 64)]
fn return_before_a_branch(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i >= x.len() {
        return;
    }
    let mut sum = 0;
    if x[i] == 3 {
        sum = warp::sum(x[i]);
    }
    y[i] = sum;
}

/// Lanes leave the loop one by one.
#[vyre::kernel(block = 64)]
fn lanes_that_leave_a_loop(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let mut left = x[i];
    while left > 3 {
        left = warp::sum(left) / 40;
    }
    y[i] = left;
}

/// A tile parts the warp, and a smaller one the tile.
#[vyre::kernel(block = 64)]
fn warp_in_a_tile(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    let mut sum = 0;
    if warp::tile::<8>().any(x[i] > 3) {
        sum = warp::tile::<16>().sum(x[i]);
    }
    y[i] = sum;
}

/// Blocks that a barrier of the grid orders are several.
#[vyre::kernel(block = 64)]
fn every_block_of_a_grid(y: &mut [u32]) {
    y[thread::idx().x] += 1;
    grid::sync();
    y[thread::idx().x] += 1;
}

/// A barrier of two warps orders no two threads at one place.
#[vyre::kernel(block = 64)]
fn one_element_before_a_named_barrier(y: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let both = block::barrier::<1, 64>();
    let t = thread::idx().x;
    tile[t / 2] = t as u32;
    both.sync();
    y[thread::index()] = tile[t / 2];
}

/// The barrier is before both accesses.
#[vyre::kernel(block = 64)]
fn accesses_behind_a_named_barrier(y: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let both = block::barrier::<1, 64>();
    let t = thread::idx().x;
    both.sync();
    tile[t] = t as u32;
    y[thread::index()] = tile[63 - t];
}

/// Threads of two warps have one lane.
#[vyre::kernel(block = 64)]
fn lanes_of_two_warps(y: &mut [u32]) {
    let t = thread::idx().x;
    if t >= 16 && t < 48 {
        y[block::idx().x * 32 + lane::index()] = t as u32;
    }
}

/// The lanes of a tile in a row that is no multiple of it.
#[vyre::kernel(block = [12, 8])]
fn tiles_across_rows(y: &mut [u32]) {
    let x = thread::idx().x;
    if lane::index() % 4 == 0 && thread::idx().y == 0 && block::idx().x == 0 {
        y[x / 4] = x as u32;
    }
    if lane::index() % 8 == 0 && block::idx().x == 0 && block::idx().y == 0 {
        y[64 + x / 8] = x as u32;
    }
}

/// The fifth field of four is the first one of the next element.
#[vyre::kernel(block = 64)]
fn fields_of_two_elements(x: &mut [u32], n: usize) {
    let i = thread::index();
    let mut sum = 0;
    for k in 0..5 {
        sum += x[4 * i + k];
    }
    x[4 * i] = sum;
}

/// A wait for a copy orders no other accesses.
#[vyre::kernel(block = 64)]
fn stores_beside_a_copy(x: &[u32], y: &mut [u32]) {
    let tile = shared::<[u32; 64]>();
    let t = thread::idx().x;
    pipeline::copy(&mut tile[t], &x[t]);
    pipeline::wait_prior::<0>();
    block::sync();
    y[0] = tile[t];
}

/// Threads of two iterations, each of which is alone in its own.
#[vyre::kernel(block = 64)]
fn one_thread_of_each_iteration(at: &[usize], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let t = thread::idx().x;
    for k in 0..4 {
        if t + k == 5 {
            cells[at[0]] = k as u32;
        }
    }
    block::sync();
    y[thread::index()] = cells[t];
}

/// Two threads.
#[vyre::kernel(block = 64)]
fn two_threads(at: &[usize], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let t = thread::idx().x;
    if t == 3 {
        cells[at[0]] = 1;
    }
    if t == 4 {
        cells[at[1]] = 2;
    }
    block::sync();
    y[thread::index()] = cells[t];
}

/// One thread of each row of the block.
#[vyre::kernel(block = [8, 8])]
fn one_thread_of_each_row(at: &[usize], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    if thread::idx().x == 3 {
        cells[at[0]] = 1;
    }
    block::sync();
    let (column, row) = thread::index_2d();
    if column < 64 {
        y[row * 64 + column] = cells[at[1]];
    }
}

/// A loop behind a return lacks the barrier at its end.
#[vyre::kernel(block = 64)]
fn returns_before_a_loop_without_barrier(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    if i >= x.len() {
        return;
    }
    cells[t] = x[i];
    block::sync();
    let mut distance = 1;
    while distance < 64 {
        let below = if t >= distance { cells[t - distance] } else { 0 };
        block::sync();
        cells[t] += below;
        distance *= 2;
    }
    y[i] = cells[t];
}

/// Threads that return write where the others read, behind barriers that wait for the others alone.
#[vyre::kernel(block = 64)]
fn written_before_a_return(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    cells[t] = x[i];
    block::sync();
    if x[i] == 0 {
        cells[63 - t] = 7;
        return;
    }
    let mut sum = 0;
    for round in 0..4 {
        block::sync();
        sum += cells[t] + round;
    }
    y[i] = sum;
}

/// An assertion is no barrier.
#[vyre::kernel(block = 64)]
fn assertion_without_barrier(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let (i, t) = (thread::index(), thread::idx().x);
    cells[t] = x[i];
    assert!(x[i] > 2, "{i}");
    y[i] = cells[63 - t];
}

/// A branch parts the threads that do not fault.
#[vyre::kernel(block = 64)]
fn assertion_in_a_branch(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if x[i] > 3 {
        assert!(x[i] > 5, "{i}");
        block::sync();
    }
    y[i] = 1;
}

/// A row has fewer elements than a column is filled with.
#[vyre::kernel(block = 256)]
fn quotients_beyond_a_row(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 1024]>();
    let t = thread::idx().x;
    for k in 0..4 {
        let place = t + k * 256;
        tile[place % 8 * 127 + place / 8] = x[place];
    }
    block::sync();
    y[thread::index()] = tile[t];
}
