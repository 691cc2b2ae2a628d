//! Memory throughput of element-wise kernels: bytes read and written per second, compared with a
//! device-to-device copy of the same buffers, interleaved in one process.
//!
//! ```text
//! cargo bench --bench bandwidth [-- ELEMENTS]
//! ```

use std::time::{Duration, Instant};

use vyre::prelude::*;

/// y += a*x, with an index and its bounds check.
#[vyre::kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

/// The same by an iterator, without an index.
#[vyre::kernel]
fn saxpy_each(a: f32, #[each] x: &f32, #[each] y: &mut f32) {
    *y += a * *x;
}

/// Runs per kernel; the median is reported.
const RUNS: usize = 21;

fn main() -> vyre::Result<()> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench bandwidth: {error}");
            return Ok(());
        }
    };
    // A gibibyte each, far more than the caches hold.
    let count = std::env::args()
        .skip(1)
        .find_map(|word| word.parse().ok())
        .unwrap_or(1usize << 28);
    let source: Vec<f32> = (0..count as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 1e6)
        .collect();
    let x = device.upload(&source)?;
    let mut y = device.upload(&source)?;

    let (mut copy, mut indexed, mut each) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..=RUNS {
        let times = [
            time(&device, || y.copy_from(&x))?,
            time(&device, || saxpy(0.5, &x, &mut y).over(count).launch(&device))?,
            time(&device, || saxpy_each(0.5, &x, &mut y).launch(&device))?,
        ];
        // The first run loads the kernels.
        if run > 0 {
            copy.push(times[0]);
            indexed.push(times[1]);
            each.push(times[2]);
        }
    }

    println!("device: {device}; {count} elements of f32");
    let copied = report("device copy", copy, 8 * count, None);
    report("saxpy, indexed", indexed, 12 * count, Some(copied));
    report("saxpy, #[each]", each, 12 * count, Some(copied));
    Ok(())
}

/// Time from enqueueing until the device is idle.
fn time(device: &Device, work: impl FnOnce() -> vyre::Result<()>) -> vyre::Result<Duration> {
    device.synchronize()?;
    let started = Instant::now();
    work()?;
    device.synchronize()?;
    Ok(started.elapsed())
}

/// Prints the median and returns its rate.
fn report(name: &str, mut times: Vec<Duration>, bytes: usize, copied: Option<f64>) -> f64 {
    times.sort();
    let time = times[times.len() / 2].as_secs_f64();
    let rate = bytes as f64 / time / 1e9;
    let share = copied.map_or(String::new(), |copied| format!(", {:.3} of the copy", rate / copied));
    println!("{name:<16} {:>8.3} ms {rate:>7.0} GB/s{share}", time * 1e3);
    rate
}
