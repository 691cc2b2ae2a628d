//! Names of CUDA C++ that differ in vyre.
use vyre::prelude::*;

#[vyre::kernel]
fn fill(y: &mut [u32]) {
    let t = threadIdx.x + blockIdx.x * blockDim.x;
    y[t] = warpSize;
}

#[vyre::kernel]
fn add_up(y: &mut [f32]) {
    __syncthreads();
    atomicAdd(&mut y[0], __shfl_down_sync(!0, y[1], 16));
    block::sync_threads();
}

/// A name of one's own is another matter.
#[vyre::device]
fn __syncwarp(x: u32) -> u32 {
    x
}

#[vyre::kernel]
fn own(y: &mut [u32]) {
    let gridDim = 3;
    y[0] = self::__syncwarp(gridDim);
    let wrong: f32 = y[1];
}

fn main() {}
