//! Many small copies and calls in one submission, beside the same ones each by itself.
//!
//! ```text
//! cargo bench --bench batches
//! ```
//!
//! Prints medians, for each number of items. The second batch has items that are contiguous in one buffer.

use std::time::{Duration, Instant};

use vyre::prelude::*;
use vyre::{Handle, Kernel, Outputs, ir};

/// Adds one.
#[vyre::kernel]
fn next(#[each] x: &u32, #[each] y: &mut u32) {
    *y = *x + 1;
}

/// Bytes of an item.
const BYTES: usize = 64;
const SAMPLES: usize = 15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench batches: {error}");
            return Ok(());
        }
    };
    println!("{device}: medians of {SAMPLES}");
    for count in [1, 10, 100, 1000] {
        copies(&device, count)?;
        calls(&device, count)?;
    }
    Ok(())
}

fn copies(device: &Device, count: usize) -> vyre::Result<()> {
    let handles = device.handles();
    let all: Vec<Handle> = (0..count)
        .map(|_| handles.allocate(BYTES))
        .collect::<vyre::Result<_>>()?;
    let whole = handles.allocate(BYTES * count)?;
    let source: Vec<u8> = (0..BYTES * count).map(|number| number as u8).collect();
    let items: Vec<_> = all
        .iter()
        .zip(source.chunks(BYTES))
        .map(|(&x, bytes)| (x, 0, bytes))
        .collect();
    let parts: Vec<_> = source
        .chunks(BYTES)
        .enumerate()
        .map(|(number, bytes)| (whole, BYTES * number, bytes))
        .collect();
    let single = median(|| items.iter().try_for_each(|&item| handles.write(&[item])))?;
    let batch = median(|| handles.write(&items))?;
    let contiguous = median(|| handles.write(&parts))?;
    report("write", count, single, &[batch, contiguous]);
    let mut target = vec![0; BYTES * count];
    let single = median(|| {
        let mut items = all.iter().zip(target.chunks_mut(BYTES));
        items.try_for_each(|(&x, bytes)| handles.read(&mut [(x, 0, bytes)]))
    })?;
    target.fill(0);
    let batch = median(|| {
        let items = all
            .iter()
            .zip(target.chunks_mut(BYTES))
            .map(|(&x, bytes)| (x, 0, bytes));
        handles.read(&mut items.collect::<Vec<_>>())
    })?;
    assert_eq!(target, source);
    target.fill(0);
    let contiguous = median(|| {
        let parts = target.chunks_mut(BYTES).enumerate();
        let parts = parts.map(|(number, bytes)| (whole, BYTES * number, bytes));
        handles.read(&mut parts.collect::<Vec<_>>())
    })?;
    assert_eq!(target, source);
    report("read", count, single, &[batch, contiguous]);
    Ok(())
}

fn calls(device: &Device, count: usize) -> vyre::Result<()> {
    let program = ir::text::parse(Next::info().program).expect("the program of a launcher");
    // SAFETY: the program is that of the launcher, whose accesses are within its arguments.
    let pipeline = unsafe { device.compile_trusted(program)? };
    let input = [7; BYTES];
    let call = || pipeline.call().bytes(&input).zeroed(BYTES / 4).over(BYTES / 4);
    let mut outputs = Outputs::new();
    let single = median(|| (0..count).try_for_each(|_| call().run_into(&mut outputs)))?;
    let mut all = Vec::new();
    let batch = median(|| pipeline.batch((0..count).map(|_| call())).run_into(&mut all))?;
    assert!(all.iter().all(|outputs| *outputs == all[0]));
    report("call", count, single, &[batch]);
    Ok(())
}

fn median(mut run: impl FnMut() -> vyre::Result<()>) -> vyre::Result<Duration> {
    run()?;
    let mut times = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let began = Instant::now();
        run()?;
        times.push(began.elapsed());
    }
    times.sort();
    Ok(times[SAMPLES / 2])
}

fn report(what: &str, count: usize, single: Duration, batches: &[Duration]) {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    print!("{what:>5} of {count:>4}: single {:9.1} us", micros(single));
    for &batch in batches {
        print!(
            ", batch {:9.1} us ({:5.1} times)",
            micros(batch),
            micros(single) / micros(batch)
        );
    }
    println!();
}
