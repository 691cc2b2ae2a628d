//! Sums and maxima: a tree in shared memory per block, then a second pass over the sums of the
//! blocks, or one atomic per block.
//!
//! ```text
//! cargo run --release --example reduce -- [--cpu] [COUNT]
//! ```
#![allow(unreachable_pub, reason = "a program has no outside")]

#[path = "../support/mod.rs"]
mod support;

use std::io::Write;
use std::process::ExitCode;

use lexopt::Parser;
use vyre::prelude::*;

use support::clock::Clock;
use support::command_line::{self, Arguments};

/// The sum of each block's share of the values.
///
/// The order of the additions depends only on the number of blocks, so the result is bit-identical
/// on every device.
#[vyre::kernel(block = 256)]
pub fn block_sums(values: &[f32], sums: &mut [f32]) {
    let partial = shared::<[f32; 256]>();
    let t = thread::idx().x;

    let mut sum = 0.0;
    let mut i = thread::index();
    while i < values.len() {
        sum += values[i];
        i += grid::dim().x * block::dim().x;
    }
    partial[t] = sum;
    block::sync();

    let mut half = 128;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half];
        }
        block::sync();
        half /= 2;
    }
    if t == 0 {
        sums[block::idx().x] = partial[0];
    }
}

/// The maximum: a tree in each block, then one atomic.
#[vyre::kernel(block = 256)]
pub fn maximum(values: &[u32], largest: &[AtomicU32]) {
    let partial = shared::<[u32; 256]>();
    let t = thread::idx().x;

    let mut most = 0;
    let mut i = thread::index();
    while i < values.len() {
        most = most.max(values[i]);
        i += grid::dim().x * block::dim().x;
    }
    partial[t] = most;
    block::sync();

    let mut half = 128;
    while half > 0 {
        if t < half {
            partial[t] = partial[t].max(partial[t + half]);
        }
        block::sync();
        half /= 2;
    }
    if t == 0 {
        largest[0].fetch_max(partial[0], Ordering::Relaxed);
    }
}

/// Blocks of the first pass.
pub const BLOCKS: u32 = 1024;

/// The sum of all values, in two passes.
pub fn sum(device: &Device, values: &DeviceBuffer<f32>) -> vyre::Result<f32> {
    let mut sums = device.zeros::<f32>(BLOCKS as usize)?;
    let mut total = device.zeros::<f32>(1)?;
    block_sums(values, &mut sums).grid(BLOCKS).launch(device)?;
    block_sums(&sums, &mut total).grid(1).launch(device)?;
    Ok(total.download()?[0])
}

/// The maximum of all values; 0 if there are none.
pub fn max(device: &Device, values: &DeviceBuffer<u32>) -> vyre::Result<u32> {
    let mut largest = device.zeros::<u32>(1)?;
    maximum(values, &mut largest).grid(BLOCKS).launch(device)?;
    Ok(largest.download()?[0])
}

/// Pseudorandom numbers: the high bits of a multiplicative sequence.
pub fn numbers(count: usize) -> Vec<u32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    })
    .take(count)
    .collect()
}

/// Numbers from 0 to 1.
pub fn fractions(numbers: &[u32]) -> Vec<f32> {
    numbers
        .iter()
        .map(|&number| (number >> 8) as f32 / (1 << 24) as f32)
        .collect()
}

const HELP: &str = "\
Sums and maxima of pseudorandom numbers, checked on the host.

usage: reduce [--cpu] [COUNT]

  COUNT   how many numbers (16777216)
  --cpu   computes on the CPU
";

/// Most numbers that are summed: 4 GiB on the device for each kind of numbers.
const MOST: usize = 1 << 30;

fn main() -> ExitCode {
    command_line::run("reduce", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let arguments = Arguments::read(parser)?.at_most(1)?;
    let count = arguments.number(0, "COUNT", 1 << 24, 1..=MOST)?;
    let device = support::device(arguments.cpu)?;
    writeln!(out, "device: {}", device.name())?;
    support::explain_cpu(out, &device, arguments.cpu)?;

    let integers = numbers(count);
    let floats = fractions(&integers);
    let on_device = device.upload(&floats)?;
    let integers_on_device = device.upload(&integers)?;
    let mut clock = Clock::new(Some(&device));
    let (mut total, mut largest) = (0.0, 0);
    for _ in 0..5 {
        clock.start();
        total = sum(&device, &on_device)?;
        clock.lap("sum")?;
        largest = max(&device, &integers_on_device)?;
        clock.lap("maximum")?;
    }

    let exact: f64 = floats.iter().map(|&value| f64::from(value)).sum();
    writeln!(out, "sum of {count} numbers: {total}; in double precision {exact}")?;
    writeln!(out, "largest of {count} numbers: {largest}")?;
    for &(name, time) in clock.steps() {
        let rate = (count * 4) as f64 / time.as_secs_f64() / 1e9;
        writeln!(out, "{name:<8} {:>9.3} ms {rate:>8.1} GB/s", time.as_secs_f64() * 1e3)?;
    }
    if integers.iter().max().copied().unwrap_or(0) != largest || (f64::from(total) - exact).abs() > 1e-5 * exact {
        return Err("the device is wrong".into());
    }
    Ok(ExitCode::SUCCESS)
}
