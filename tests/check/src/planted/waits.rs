//! Barriers and warp operations that threads miss, and waits that never end.

use vyre::prelude::*;

super::faults! { "waits.rs"
    barrier_in_a_branch: Skipped
    two_barriers: Divergence
    part_of_a_warp: Skipped
    named_barrier: Deadlock
    flag: Deadlock
    held_lock: Deadlock
}

/// Threads without an element end before the barrier of the others.
#[vyre::kernel(block = 64, allow(races))]
fn shift(x: &mut [u32], planted: bool) {
    let tile = shared::<[u32; 64]>();
    let t = thread::idx().x;
    let has_element = t < x.len();
    tile[t] = if has_element { x[t] } else { 0 };
    if has_element || !planted {
        block::sync(); //~ barrier_in_a_branch
        if has_element {
            x[t] = tile[(t + 1) % 64];
        }
    }
}

fn barrier_in_a_branch(device: &Device, planted: bool) -> vyre::Result<()> {
    Shift::dispatch(device, 64, &mut [1; 40], planted)
}

/// Two barriers of which each thread reaches one.
#[vyre::kernel(block = 64, allow(races))]
fn apart(x: &mut [u32], planted: bool) {
    let t = thread::idx().x;
    if planted && x[t] == 0 {
        block::sync(); //~ two_barriers
        x[t] = 1;
    } else {
        block::sync(); //~ two_barriers
        x[t] = 2;
    }
}

fn two_barriers(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut x: Vec<u32> = (0..64).map(|i| i % 3).collect();
    Apart::dispatch(device, 64, &mut x, planted)
}

/// `tests/algorithms`, `reduce.rs`: `by_warps`, where the sums of the warps are added by four lanes.
#[vyre::kernel(block = 128, allow(races))]
fn by_warps(x: &[f32], sums: &mut [f32], planted: bool) {
    let partial = shared::<[f32; 4]>();
    let t = thread::idx().x;
    let sum = warp::sum(x[t]);
    if lane::index() == 0 {
        partial[t / 32] = sum;
    }
    block::sync();
    let lanes = if planted { 4 } else { 32 };
    if t < lanes {
        let total = warp::sum(if t < 4 { partial[t] } else { 0.0 }); //~ part_of_a_warp
        if t == 0 {
            sums[0] = total;
        }
    }
}

fn part_of_a_warp(device: &Device, planted: bool) -> vyre::Result<()> {
    ByWarps::dispatch(device, 128, &[1.0; 128], &mut [0.0], planted)
}

/// The example of named barriers, whose readers do not say that the tile is empty.
#[vyre::kernel(block = 64, allow(races))]
fn hand_over(values: &[u32], sums: &mut [u32], planted: bool) {
    let tile = shared::<[u32; 32]>();
    let (full, empty) = (block::barrier::<1, 64>(), block::barrier::<2, 64>());
    let t = thread::idx().x;
    if t < 32 {
        tile[t] = values[t];
        full.arrive();
        empty.sync(); //~ named_barrier
        tile[t] = 0;
    } else {
        full.sync();
        sums[t - 32] = tile[t - 32];
        if !planted {
            empty.arrive();
        }
    }
}

fn named_barrier(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut sums = [0; 32];
    HandOver::dispatch(device, 64, &[1; 32], &mut sums, planted)?;
    assert_eq!(sums, [1; 32]);
    Ok(())
}

/// A flag that is set under a condition that does not hold.
#[vyre::kernel(block = 64)]
fn wait_for_flag(flags: &[AtomicU32], planted: bool) {
    let t = thread::idx().x;
    let sender = if planted { 64 } else { 40 };
    if t == sender {
        flags[0].store(1, Ordering::Release);
    }
    if t == 0 {
        while flags[0].load(Ordering::Acquire) == 0 {} //~ flag
    }
}

fn flag(device: &Device, planted: bool) -> vyre::Result<()> {
    let mut flags = device.zeros::<u32>(1)?;
    wait_for_flag(&mut flags, planted).over(64).launch(device)?;
    flags.download().map(drop)
}

/// A lock that its first holder keeps.
#[vyre::kernel(block = 4, allow(races))]
fn locked(lock: &[AtomicU32], value: &mut [u32], planted: bool) {
    let mut is_held = true;
    while is_held {
        let taken = lock[0].compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed); //~ held_lock
        is_held = taken.is_err();
    }
    value[0] += 1;
    if !planted {
        lock[0].store(0, Ordering::Release);
    }
}

fn held_lock(device: &Device, planted: bool) -> vyre::Result<()> {
    let (mut lock, mut value) = (device.zeros::<u32>(1)?, device.zeros::<u32>(1)?);
    locked(&mut lock, &mut value, planted).over(4).launch(device)?;
    assert_eq!(value.download()?, [4]);
    Ok(())
}
