//! Functions of mathematics on all bit patterns, or on very many: kernels on a GPU against those on the CPU, and `f32`
//! against `f64`.
//!
//! A test of each function named `all` is ignored: it runs a function of one `f32` on all 2^32 patterns and the others on
//! 2^30 points, and prints what it has found. On 16 cores beside a GPU each takes seconds:
//!
//! ```text
//! cargo test --release -p vyre-semantics --test patterns -- --ignored --nocapture --test-threads 1
//! ```

mod double;
mod pairs;
mod points;
mod single;

use std::time::{Duration, Instant};

use vyre::prelude::*;
use vyre_semantics::places::gpu;

/// Arguments of one thread.
const RUN: u32 = 1 << 12;

/// The sums of a function's results for as many runs as there are sums, from one on.
type Sums = fn(&Device, u32, &mut [u64]) -> vyre::Result<()>;

/// The sums of `count` runs on a device, and the time.
fn sums(device: &Device, name: &str, sums: Sums, first: u32, count: usize) -> (Vec<u64>, Duration) {
    let mut got = vec![0; count];
    let started = Instant::now();
    sums(device, first, &mut got).unwrap_or_else(|error| panic!("`{name}` on {}: {error}", device.name()));
    (got, started.elapsed())
}

/// Compares runs of the GPU with those of the CPU; the times.
fn compare(device: &Device, name: &str, of: Sums, first: u32, count: usize) -> [Duration; 2] {
    let (on_gpu, gpu) = sums(device, name, of, first, count);
    let (on_cpu, cpu) = sums(&Device::cpu(), name, of, first, count);
    let differing = (0..count).filter(|&at| on_gpu[at] != on_cpu[at]).collect::<Vec<_>>();
    if let Some(&at) = differing.first() {
        panic!(
            "`{name}` differs in {} of {count} runs; the first is run {:#x}",
            differing.len(),
            first + at as u32
        );
    }
    [gpu, cpu]
}

/// Compares `count` runs, and prints that they are equal.
fn all(name: &str, of: Sums, count: usize) {
    let Some(device) = gpu() else { return };
    let [gpu, cpu] = compare(&device, name, of, 0, count);
    let points = count as u64 * u64::from(RUN);
    println!("{name}: {points} points, 0 differ; GPU {gpu:.2?}, CPU {cpu:.2?}");
}
