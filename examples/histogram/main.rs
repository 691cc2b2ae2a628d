//! Counts the bytes of files by value, with a histogram in shared memory per block.
//!
//! ```text
//! cargo run --release --example histogram -- [--cpu] [FILE..]
//! ```
//!
//! Prints the most frequent bytes. Reads the project's README if no file is given.
#![allow(unreachable_pub, reason = "a program has no outside")]

#[path = "../support/mod.rs"]
mod support;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use lexopt::Parser;
use vyre::prelude::*;

use support::clock::Clock;
use support::command_line::{self, Arguments};
use support::files;

/// Adds to each bin the number of bytes with its value.
///
/// A block counts in shared memory, where atomics are cheap, and adds its counts to the global bins
/// at the end. The block has one thread per bin.
#[vyre::kernel(block = 256)]
pub fn histogram(bytes: &[u8], bins: &[AtomicU32]) {
    let counts = shared::<[AtomicU32; 256]>();
    let t = thread::idx().x;
    counts[t].store(0, Ordering::Relaxed);
    block::sync();

    let mut i = thread::index();
    while i < bytes.len() {
        counts[bytes[i] as usize].fetch_add(1, Ordering::Relaxed);
        i += grid::dim().x * block::dim().x;
    }
    block::sync();
    bins[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Counts bytes by value.
pub fn count(device: &Device, bytes: &DeviceBuffer<u8>) -> vyre::Result<Vec<u32>> {
    let mut bins = device.zeros::<u32>(256)?;
    let blocks = bytes.len().div_ceil(256).clamp(1, 1024) as u32;
    histogram(bytes, &mut bins).grid(blocks).launch(device)?;
    bins.download()
}

const HELP: &str = "\
Counts the bytes of files by value, and prints the most frequent ones.

usage: histogram [--cpu] [FILE..]

  FILE    a file to read (README.md)
  --cpu   computes on the CPU
";

fn main() -> ExitCode {
    command_line::run("histogram", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let arguments = Arguments::read(parser)?;
    let mut paths: Vec<PathBuf> = arguments.values.iter().map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push("README.md".into());
    }
    // A bin counts to `u32::MAX`, more than these bytes can be.
    let mut bytes = Vec::new();
    for path in &paths {
        files::append(path, &mut bytes)?;
    }

    let device = support::device(arguments.cpu)?;
    let on_device = device.upload(&bytes)?;
    let mut clock = Clock::new(Some(&device));
    let mut bins = Vec::new();
    for _ in 0..5 {
        clock.start();
        bins = count(&device, &on_device)?;
        clock.lap("histogram")?;
    }

    let mut frequent: Vec<usize> = (0..256).collect();
    frequent.sort_by_key(|&byte| std::cmp::Reverse(bins[byte]));
    let most = bins[frequent[0]].max(1);
    for &byte in frequent.iter().take(16).take_while(|&&byte| bins[byte] > 0) {
        let bar = "#".repeat((50 * bins[byte] as usize).div_ceil(most as usize));
        writeln!(
            out,
            "{:<6} {:>9}  {bar}",
            format!("{:?}", byte as u8 as char),
            bins[byte]
        )?;
    }
    let took = clock.total();
    writeln!(
        out,
        "{} bytes on {} in {:.3} ms",
        bytes.len(),
        device.name(),
        took.as_secs_f64() * 1e3
    )?;

    support::explain_cpu(out, &device, arguments.cpu)?;

    let mut expected = vec![0; 256];
    for &byte in &bytes {
        expected[usize::from(byte)] += 1;
    }
    if bins != expected {
        return Err("the device has counted wrongly".into());
    }
    Ok(ExitCode::SUCCESS)
}
