//! Mistakes of those who come from CUDA, and the names of methods.
use vyre::prelude::*;

#[vyre::kernel(block = 64)]
fn marked_shared_memory(x: &mut [f32]) {
    #[shared]
    let mut tile: [f32; 64];
    tile[0] = x[0];
    x[0] = tile[0];
}

#[vyre::kernel(block = 64)]
fn shared_memory_with_a_value(x: &mut [f32]) {
    let tile = shared([0.0f32; 64]);
    tile[0] = x[0];
    x[0] = tile[0];
}

#[vyre::kernel]
fn method_of_atomics(x: &[f32], most: &[AtomicF32]) {
    most[0].max(x[thread::index()], Ordering::Relaxed);
}

#[vyre::kernel(block = 32)]
fn size_without_a_call(x: &mut [u32]) {
    let lane = thread::idx().x % warp::size;
    x[lane] = 1;
}

#[vyre::device]
fn index_without_a_call() -> usize {
    thread::index + 1
}

#[vyre::kernel]
fn power(#[each] x: &mut f32) {
    *x = pow(*x, 2.0);
}

#[vyre::kernel]
fn index_of_an_element(#[each] x: &f32, y: &mut [f32]) {
    let i = thread::index();
    y[i] = x[i] * x[i];
}

#[vyre::kernel]
fn variable_of_the_name_of_a_module(x: &mut [u32]) {
    let block = block::idx().x;
    x[block] = block.dim();
}

fn main() {}
