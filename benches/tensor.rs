//! Throughput of large matrix products on tensor cores, in operations per second; a multiply-add
//! counts as two.
//!
//! ```text
//! cargo bench --features half --bench tensor [-- SIDE]
//! ```

use std::time::{Duration, Instant};

use vyre::prelude::*;

#[path = "../tests/algorithms/tests/algorithms/tensor_kernels.rs"]
mod tensor_kernels;

#[cfg(feature = "half")]
#[path = "../tests/algorithms/tests/algorithms/tensor_halves.rs"]
mod tensor_halves;

use tensor_kernels::{SIDE, of_tf32};

/// Runs per kernel; the median is reported.
const RUNS: usize = 11;

fn main() -> vyre::Result<()> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench tensor: {error}");
            return Ok(());
        }
    };
    let side = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let side: usize = side.unwrap_or(4096);
    println!("device: {device}; matrices of {side} by {side}");

    run!(side, &device, "tf32", of_tf32, tensor_kernels::BYTES, |number: f32| {
        number
    });
    #[cfg(feature = "half")]
    {
        run!(side, &device, "f16", tensor_halves::of_f16, 0, vyre::f16::from_f32);
        run!(side, &device, "bf16", tensor_halves::of_bf16, 0, vyre::bf16::from_f32);
    }
    Ok(())
}

/// Times a kernel; its factors are converted from `f32`.
macro_rules! run {
    ($side:expr, $device:expr, $name:literal, $kernel:path, $bytes:expr, $factor:expr) => {{
        let (side, device) = ($side, $device);
        // Numbers with few significant bits, so that all factors are exact.
        let number = |i: usize| ((i as u32).wrapping_mul(2_654_435_761) >> 24) as f32 / 256.0 - 0.5;
        let numbers = |first: usize| (first..first + side * side).map(number);
        let (a, b): (Vec<f32>, Vec<f32>) = (numbers(1).collect(), numbers(side).collect());
        let on_a = device.upload(&a.iter().copied().map($factor).collect::<Vec<_>>())?;
        let on_b = device.upload(&b.iter().copied().map($factor).collect::<Vec<_>>())?;
        let mut c = device.zeros::<f32>(side * side)?;
        let blocks = side.div_ceil(SIDE) * side.div_ceil(SIDE);
        let mut times = Vec::new();
        for run in 0..=RUNS {
            device.synchronize()?;
            let started = Instant::now();
            $kernel(&on_a, &on_b, &mut c, side, side, side)
                .grid(blocks as u32)
                .shared_bytes($bytes)
                .launch(device)?;
            device.synchronize()?;
            // The first run loads the kernel.
            if run > 0 {
                times.push(started.elapsed());
            }
        }
        check(&a, &b, &c.download()?, side);
        report($name, times, side);
    }};
}
use run;

/// Compares some elements with sums in double precision.
fn check(a: &[f32], b: &[f32], c: &[f32], side: usize) {
    for at in (0..side * side).step_by(side * side / 64 + 1) {
        let (row, column) = (at / side, at % side);
        let products = (0..side).map(|k| f64::from(a[row * side + k]) * f64::from(b[k * side + column]));
        let (exact, magnitude) = products.fold((0.0, 0.0), |(sum, all), product| (sum + product, all + product.abs()));
        let error = (f64::from(c[at]) - exact).abs();
        assert!(error <= magnitude * 1e-3, "element {at} is {}, not {exact}", c[at]);
    }
}

/// Prints the median and its rate.
fn report(name: &str, mut times: Vec<Duration>, side: usize) {
    times.sort();
    let time = times[times.len() / 2].as_secs_f64();
    let rate = 2.0 * (side as f64).powi(3) / time / 1e12;
    println!("{name:<16} {:>8.3} ms {rate:>7.1} TFLOP/s", time * 1e3);
}
