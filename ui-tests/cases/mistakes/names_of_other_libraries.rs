use vyre::prelude::*;

#[vyre::kernel]
fn of_the_root(y: &mut [f32]) {
    y[0] = 1.0;
    vyre::syncthreads();
}

#[vyre::kernel]
fn of_another_module(y: &mut [f32]) {
    thread::sync();
    y[0] = 1.0;
}

#[vyre::kernel]
fn in_snake_case(y: &[AtomicU32]) {
    atomic_add(&y[0], 1);
}

#[vyre::kernel]
fn of_a_warp(y: &mut [u32]) {
    y[0] = (warp::index() + lane::id()) as u32;
}

#[vyre::kernel]
fn of_mathematics(y: &mut [f32]) {
    y[0] = vyre::math::clamp(y[0], 0.0, 1.0);
}

#[vyre::kernel]
fn with_a_mask(y: &mut [f32]) {
    y[0] = warp::shuffle_down(0xffff_ffff, y[0], 16);
}

#[vyre::kernel]
fn a_vector(y: &mut [float4]) {
    y[0][1] = 1.0;
}

fn main() {}
