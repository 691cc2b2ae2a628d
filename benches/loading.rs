//! The time to load 40 kernels: from an open device to the results of all of them.
//!
//! ```text
//! cargo bench --bench loading
//! ```
//!
//! Each run is a process of its own, by one thread and by eight:
//!
//! - *assembled*: the driver's cache of machine code is empty,
//! - *again*: the process before has filled it.
//!
//! The cache is in a folder that the benchmark makes. Prints the medians, and their ratios to the first.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;
use std::{env, fs, process};

use vyre::DeviceBuffer;
use vyre::prelude::*;

/// Set for a process that is measured: the number of its threads.
const PART: &str = "VYRE_BENCH_LOADING";
/// Processes of each kind.
const RUNS: usize = 5;
/// Elements of a buffer.
const COUNT: usize = 256;

/// A sum over all pairs, in some lines that differ by a number.
#[vyre::kernel(block = 256, N = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40
])]
fn pairs<const N: usize>(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        let mut sum = 0.0;
        for k in 0..x.len() {
            let d = x[k] - x[i % x.len()] * N as f32;
            sum += d / (1.0 + d * d).sqrt();
        }
        y[i] = sum;
    }
}

/// Launches a kernel.
type Launch = fn(&Device, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> vyre::Result<()>;

macro_rules! kernels {
    ($($n:literal)*) => { [$(|device, x, y| pairs::<$n>(x, y).over(COUNT).launch(device),)*] };
}

const KERNELS: [Launch; 40] = kernels! {
    1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("SKIP-GPU bench loading: {error}");
            return Ok(());
        }
    };
    if let Ok(threads) = env::var(PART) {
        let x = device.upload(&[0.5f32; COUNT])?;
        let mut results = Vec::new();
        for _ in &KERNELS {
            results.push(device.zeros::<f32>(COUNT)?);
        }
        device.synchronize()?;
        println!("{}", launch_all(&device, &x, &mut results, threads.parse()?)?);
        return Ok(());
    }

    println!("device: {device}, {} kernels", KERNELS.len());
    let folder = env::temp_dir().join(format!("vyre-loading-{}", process::id()));
    let mut all: [Vec<f64>; 4] = Default::default();
    for _ in 0..RUNS {
        for (kind, threads) in ["1", "8"].into_iter().enumerate() {
            all[2 * kind].push(measured(&folder, threads)?);
            all[2 * kind + 1].push(measured(&folder, threads)?);
            fs::remove_dir_all(&folder)?;
        }
    }
    let medians = all.map(median);
    let names = [
        "assembled by one thread",
        "again by one thread",
        "assembled by eight threads",
        "again by eight threads",
    ];
    for (name, seconds) in names.iter().zip(medians) {
        println!(
            "{name:<27} {:>9.2} ms, {:>6.3} of the first",
            seconds * 1e3,
            seconds / medians[0]
        );
    }
    Ok(())
}

/// Runs a process; returns the seconds that it has measured.
fn measured(folder: &Path, threads: &str) -> Result<f64, Box<dyn std::error::Error>> {
    fs::create_dir_all(folder)?;
    let output = Command::new(env::current_exe()?)
        .env(PART, threads)
        .env("CUDA_CACHE_PATH", folder)
        .env_remove("CUDA_CACHE_DISABLE")
        .env_remove("CUDA_CACHE_MAXSIZE")
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Launches all kernels by some threads, and reads all results.
fn launch_all(
    device: &Device,
    x: &DeviceBuffer<f32>,
    results: &mut [DeviceBuffer<f32>],
    threads: usize,
) -> vyre::Result<f64> {
    let start = Instant::now();
    let tasks = Mutex::new(KERNELS.iter().zip(&mut *results));
    let work = || -> vyre::Result<()> {
        loop {
            let next = tasks.lock().expect("no thread panics").next();
            match next {
                Some((launch, y)) => launch(device, x, y)?,
                None => return Ok(()),
            }
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        work()?;
        others
            .into_iter()
            .try_for_each(|other| other.join().expect("no thread panics"))
    })?;
    for y in results.iter() {
        y.download()?;
    }
    Ok(start.elapsed().as_secs_f64())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
