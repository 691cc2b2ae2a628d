use vyre::prelude::*;

/// The sum of each block, without the barrier of the loop.
#[vyre::kernel(block = 64)]
fn sums(x: &[u32], out: &mut [u32]) {
    let partial = shared::<[u32; 64]>();
    let t = thread::idx().x;
    partial[t] = x[thread::index()];
    block::sync();
    let mut half = 32;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half];
        }
        half /= 2;
    }
    if t == 0 {
        out[block::idx().x] = partial[0];
    }
}

/// The same with it.
#[vyre::kernel(block = 64)]
fn ordered_sums(x: &[u32], out: &mut [u32]) {
    let partial = shared::<[u32; 64]>();
    let t = thread::idx().x;
    partial[t] = x[thread::index()];
    block::sync();
    let mut half = 32;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half];
        }
        block::sync();
        half /= 2;
    }
    if t == 0 {
        out[block::idx().x] = partial[0];
    }
}

/// Half of each block comes to the barrier.
#[vyre::kernel(block = 64)]
fn partly(out: &mut [u32]) {
    if thread::idx().x < 32 {
        out[thread::index()] = 1;
        block::sync();
    }
}

/// Adds to what is there.
#[vyre::kernel(block = 64)]
fn add(out: &mut [u32]) {
    out[thread::index()] += 1;
}

/// Two threads write each element.
#[vyre::kernel(block = 4)]
fn halves(out: &mut [u32]) {
    out[thread::index() / 2] = 1;
}
