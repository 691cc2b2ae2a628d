//! Softmax of the rows of a matrix: e to the power of each value, divided by the sum of these powers in the row.
//!
//! ```text
//! cargo run --release --example softmax -- [--cpu] [ROWS [COLUMNS]]
//! ```
//!
//! The greatest value of a row is subtracted first, so that no power is too large. The result is checked against double
//! precision on the host.
#![allow(unreachable_pub, reason = "a program has no outside")]

#[path = "../support/mod.rs"]
mod support;

use std::io::Write;
use std::process::ExitCode;

use lexopt::Parser;
use vyre::prelude::*;
use vyre::random::Philox;

use support::clock::Clock;
use support::command_line::{self, Arguments};

/// The longest row that a block keeps in its registers.
pub const IN_REGISTERS: usize = 512 * 16;

/// A block for each row, which it reads once: each of 512 threads keeps up to 16 values, 512 columns apart, so that
/// neighbouring threads read neighbouring values. The sum is divided by once, and not for each value.
#[vyre::kernel(block = 512)]
pub fn softmax(x: &[f32], columns: usize, y: &mut [f32]) {
    const EACH: usize = 16;
    let (t, start) = (thread::idx().x, block::idx().x * columns);
    let row = &x[start..start + columns];
    let out = &mut y[start..start + columns];
    let mut own = [f32::NEG_INFINITY; EACH];
    for k in 0..EACH {
        let column = k * 512 + t;
        if column < row.len() {
            own[k] = row[column];
        }
    }
    let mut most = f32::NEG_INFINITY;
    for k in 0..EACH {
        most = most.max(own[k]);
    }
    let most = block::max(most);
    let mut sum = 0.0;
    for k in 0..EACH {
        // Values beyond the row become 0.
        own[k] = (own[k] - most).exp();
        sum += own[k];
    }
    let scale = 1.0 / block::sum(sum);
    for k in 0..EACH {
        let column = k * 512 + t;
        if column < out.len() {
            out[column] = own[k] * scale;
        }
    }
}

/// The same for rows of any length, which are read three times.
#[vyre::kernel(block = 512)]
pub fn softmax_of_long_rows(x: &[f32], columns: usize, y: &mut [f32]) {
    let start = block::idx().x * columns;
    let row = &x[start..start + columns];
    let out = &mut y[start..start + columns];
    let mut most = f32::NEG_INFINITY;
    for column in (thread::idx().x..row.len()).step_by(512) {
        most = most.max(row[column]);
    }
    let most = block::max(most);
    let mut sum = 0.0;
    for column in (thread::idx().x..row.len()).step_by(512) {
        sum += (row[column] - most).exp();
    }
    let scale = 1.0 / block::sum(sum);
    for column in (thread::idx().x..row.len()).step_by(512) {
        if column < out.len() {
            out[column] = (row[column] - most).exp() * scale;
        }
    }
}

/// Random values of a normal distribution.
#[vyre::kernel]
pub fn fill(seed: u64, deviation: f32, #[each] x: &mut f32) {
    *x = deviation * Philox::new(seed, thread::index() as u64, 0).normal_f32();
}

/// Writes the softmax of each row of `columns` values, by the kernel for rows of this length.
pub fn softmax_rows(x: &DeviceBuffer<f32>, columns: usize, y: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
    let (device, threads) = (x.device(), x.len() / columns * 512);
    match columns <= IN_REGISTERS {
        true => softmax(x, columns, y).over(threads).launch(&device),
        false => softmax_of_long_rows(x, columns, y).over(threads).launch(&device),
    }
}

/// The greatest difference from double precision, relative to the value, in a row.
pub fn difference(x: &[f32], y: &[f32]) -> f64 {
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f64> = x.iter().map(|&x| (f64::from(x) - f64::from(most)).exp()).collect();
    let sum: f64 = powers.iter().sum();
    let differences = powers
        .iter()
        .zip(y)
        .map(|(power, &y)| (f64::from(y) / (power / sum) - 1.0).abs());
    // A NaN is no small difference.
    differences.fold(0.0, |a, b| if b <= a { a } else { b })
}

/// Most that a value may differ from double precision, relative to it. The difference of a value from the greatest one is
/// rounded by up to 1.9e-6 if it is 32 to 64, and that is an error of the power, relative to it.
pub const BOUND: f64 = 3e-6;

const HELP: &str = "\
Softmax of the rows of a matrix of random numbers, checked on the host.

usage: softmax [--cpu] [ROWS [COLUMNS]]

  ROWS      how many rows (8192; on the CPU 256)
  COLUMNS   how long they are (8192)
  --cpu     computes on the CPU
";

fn main() -> ExitCode {
    command_line::run("softmax", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let arguments = Arguments::read(parser)?.at_most(2)?;
    let device = support::device(arguments.cpu)?;
    let usual = if device.is_cuda() { 8192 } else { 256 };
    let rows = arguments.number(0, "ROWS", usual, 1..=1 << 20)?;
    let columns = arguments.number(1, "COLUMNS", 8192, 1..=1 << 20)?;
    if rows * columns > 1 << 31 {
        return Err(format!("{rows} rows of {columns} values are more than 8 GiB; take fewer or shorter rows").into());
    }
    writeln!(out, "{rows} rows of {columns} values, on {}", device.name())?;
    support::explain_cpu(out, &device, arguments.cpu)?;

    let (mut x, mut y) = (
        device.zeros::<f32>(rows * columns)?,
        device.zeros::<f32>(rows * columns)?,
    );
    fill(7, 4.0, &mut x).launch(&device)?;
    let mut clock = Clock::new(Some(&device));
    let rounds = if device.is_cuda() { 20 } else { 3 };
    for _ in 0..rounds {
        device.synchronize()?;
        clock.start();
        y.copy_from(&x)?;
        clock.lap("copy")?;
        softmax_rows(&x, columns, &mut y)?;
        clock.lap("softmax")?;
    }
    for &(name, time) in clock.steps() {
        let rate = (rows * columns * 8) as f64 / time.as_secs_f64() / 1e9;
        writeln!(out, "{name:<8} {:>9.3} ms {rate:>8.1} GB/s", time.as_secs_f64() * 1e3)?;
    }

    // Some of many rows, for the host takes long.
    let mut worst = 0.0f64;
    for row in (0..rows).step_by(rows.div_ceil(256)) {
        let range = row * columns..(row + 1) * columns;
        let (x, y) = (x.slice(range.clone())?.download()?, y.slice(range)?.download()?);
        worst = worst.max(difference(&x, &y));
    }
    writeln!(out, "differs from double precision by at most {worst:.1e} of a value")?;
    match worst <= BOUND {
        true => Ok(ExitCode::SUCCESS),
        false => Err(format!("that is more than {BOUND:.0e}").into()),
    }
}
