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

/// A part of the warp comes to the exchange.
#[vyre::kernel(block = 64)]
fn parted_shuffle(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < x.len() && i < y.len() && x[i] > 3.0 {
        y[i] = warp::shuffle_down(x[i], 1);
    }
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
