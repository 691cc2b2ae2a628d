//! Times the normalisation beside candle's own, and compares the results.
//!
//! ```text
//! cargo run --release [--features cuda] -- [--cpu]
//! ```

use std::time::{Duration, Instant};

use candle_core::{D, Device, Result, Tensor};

/// The runs of each, of which the median is printed.
const RUNS: usize = 101;

const EPSILON: f32 = 1e-5;

fn main() -> Result<()> {
    let device = device()?;
    // Work for a launch alone, and for the whole device.
    compare(&device, 16, 1024)?;
    match device.is_cuda() {
        true => compare(&device, 8192, 8192),
        false => compare(&device, 512, 4096),
    }
}

fn compare(device: &Device, rows: usize, columns: usize) -> Result<()> {
    println!("{rows} rows of {columns} on {:?}", device.location());
    let x = Tensor::randn(0f32, 1.0, (rows, columns), &Device::Cpu)?.to_device(device)?;
    let weight = Tensor::randn(1f32, 0.1, columns, &Device::Cpu)?.to_device(device)?;

    let ours = || vyre_candle::rms_norm(&x, &weight, EPSILON);
    let theirs = || candle_nn::ops::rms_norm(&x, &weight, EPSILON);
    let composed = || {
        let scale = (x.sqr()?.mean_keepdim(D::Minus1)? + f64::from(EPSILON))?.sqrt()?;
        x.broadcast_div(&scale)?.broadcast_mul(&weight)
    };
    let difference = (ours()? - theirs()?)?
        .abs()?
        .flatten_all()?
        .max(0)?
        .to_scalar::<f32>()?;
    println!("differs from candle's by at most {difference:e}");

    let runs = if device.is_cuda() { RUNS } else { RUNS / 4 };
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..runs {
        times[0].push(time(device, ours)?);
        times[1].push(time(device, theirs)?);
        times[2].push(time(device, composed)?);
    }
    let [ours, theirs, composed] = times.map(median);
    println!("vyre's kernel             {ours:>10.1?}");
    println!(
        "candle's kernel           {theirs:>10.1?}   {:.2} times",
        ratio(theirs, ours)
    );
    println!(
        "candle's tensor operations{composed:>10.1?}   {:.2} times",
        ratio(composed, ours)
    );
    match difference < 1e-4 {
        true => Ok(()),
        false => candle_core::bail!("the results differ"),
    }
}

/// A GPU, if the program has candle's kernels for it, unless the CPU is asked for. Its stream is one that all threads share:
/// that of `Device::new_cuda` is another one on each thread, which vyre refuses.
fn device() -> Result<Device> {
    match cfg!(feature = "cuda") && std::env::args().all(|argument| argument != "--cpu") {
        true => Device::new_cuda_with_stream(0),
        false => Ok(Device::Cpu),
    }
}

/// How long some work takes until the device is done.
fn time(device: &Device, work: impl Fn() -> Result<Tensor>) -> Result<Duration> {
    device.synchronize()?;
    let began = Instant::now();
    let result = work()?;
    device.synchronize()?;
    let took = began.elapsed();
    drop(result);
    Ok(took)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}
