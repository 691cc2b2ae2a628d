//! Numbers in the angle brackets of a call are constants.

use vyre::prelude::*;

#[vyre::kernel(block = 64)]
fn threads_of_a_barrier(n: usize, #[each] y: &mut f32) {
    block::barrier::<1, n>().sync();
    *y = 1.0;
}

#[vyre::kernel(block = 64)]
fn arrivals(#[each] y: &mut f32) {
    let n = 64;
    let full = shared::barriers::<1, n>();
    full[0].arrive_and_wait();
    *y = 1.0;
}

#[vyre::kernel(block = 64)]
fn not_called(x: &[f32], #[each] y: &mut f32) {
    let tile = shared::<[f32; 64]>;
    tile[thread::idx().x] = x[0];
    *y = tile[0];
}

#[vyre::kernel(block = 32)]
fn copies_in_flight(n: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 32]>();
    let t = thread::idx().x;
    pipeline::copy(&mut tile[t], &x[t]);
    pipeline::commit();
    pipeline::wait_prior::<n>();
    y[t] = tile[t];
}

fn main() {}
