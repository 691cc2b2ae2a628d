use core::sync::atomic::{AtomicU32, Ordering};
use vyre::prelude::*;

#[vyre::kernel]
fn halved(y: &mut [f32]) {
    let i = thread::index();
    if i / 2 < y.len() {
        y[i / 2] = 1.0;
    }
}

#[vyre::kernel]
fn remainder(n: usize, y: &mut [f32]) {
    let i = thread::index();
    if n <= y.len() && n > 0 {
        y[i % n] = 1.0;
    }
}

#[vyre::kernel]
fn loaded(j: &[u32], y: &mut [f32]) {
    let i = thread::index();
    if i < j.len() {
        y[j[i] as usize] = 1.0;
    }
}

#[vyre::kernel]
fn shift(y: &mut [f32]) {
    let i = thread::index();
    if i + 1 < y.len() {
        y[i + 1] = y[i];
    }
}

#[vyre::kernel(deny(bounds_checks))]
fn one_element(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < x.len() && !y.is_empty() {
        y[0] = x[i];
    }
}

#[vyre::kernel(block = 256)]
fn tile_without_barrier(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 256]>();
    let (t, i) = (thread::idx().x, thread::index());
    tile[t] = x[i];
    y[i] = tile[255 - t];
}

#[vyre::kernel(block = 256)]
fn tree_without_barrier(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 256]>();
    let (t, i) = (thread::idx().x, thread::index());
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

#[vyre::kernel(block = 64)]
fn parted_barrier(x: &mut [f32]) {
    let (t, i) = (thread::idx().x, thread::index());
    if t < 16 {
        block::sync();
    }
    x[i] = 1.0;
}

#[vyre::kernel(block = 64)]
fn parted_shuffle(x: &[f32], y: &mut [f32]) {
    let (i, mut value) = (thread::index(), 0.0);
    if x[i] > 3.0 {
        value = warp::shuffle_down(x[i], 1);
    }
    y[i] = value;
}

/// Several accesses: the first ones are named.
#[vyre::kernel]
fn many(y: &mut [u32], z: &[AtomicU32]) {
    let i = thread::index();
    y[0] = z[i].load(Ordering::Relaxed);
    y[1] = z[i + 1].load(Ordering::Relaxed);
    y[2] = z[i + 2].load(Ordering::Relaxed);
    y[3] = z[i + 3].load(Ordering::Relaxed);
    y[4] = z[i + 4].load(Ordering::Relaxed);
    y[5] = z[i + 5].load(Ordering::Relaxed);
    y[6] = z[i + 6].load(Ordering::Relaxed);
}

/// Copies of all threads to one element, which no plain access meets.
#[vyre::kernel(block = 64)]
fn copies(x: &[f32]) {
    let tile = shared::<[f32; 64]>();
    pipeline::copy(&mut tile[0], &x[thread::index()]);
    pipeline::commit();
}

/// The author knows better.
#[vyre::kernel]
fn relaxed(j: &[u32], y: &mut [f32]) {
    let i = thread::index();
    if i < j.len() {
        store::relaxed(&mut y[j[i] as usize], load::relaxed(&y[j[i] as usize + 1]));
    }
}

#[vyre::kernel(block = 64, allow(races))]
fn allowed(j: &[u32], y: &mut [f32]) {
    let i = thread::index();
    if i < j.len() {
        y[j[i] as usize] = 1.0;
        block::sync();
    }
}

#[vyre::kernel(allow(race))]
fn misspelt(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(allow(bounds_checks))]
fn other(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(allow)]
fn alone(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
