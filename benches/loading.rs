//! The time to load 40 kernels: from an open device to the results of all of them.
//!
//! ```text
//! scripts/loading # with the build that has machine code
//! cargo bench --bench loading
//! ```
//!
//! Each run is a process of its own, by one thread and by eight:
//!
//! - *assembled*: the driver's cache of machine code is empty,
//! - *again*: the process before has filled it,
//! - *machine code*: the kernels have it from ptxas, in the other build, whose path is in `VYRE_BENCH_CUBINS`.
//!
//! The cache is in a folder that the benchmark makes. Prints the medians, and their ratios to the first.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;
use std::{env, fs, process};

use vyre::prelude::*;
use vyre::{DeviceBuffer, Kernel};

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
        // The build with machine code is not measured without it.
        let lacks =
            env::var_os("VYRE_BENCH_CUBINS").is_some_and(|path| env::current_exe().is_ok_and(|own| own == *path));
        if lacks && Pairs::<1>::info().cubins.is_empty() {
            return Err("the kernels of this build have no machine code".into());
        }
        println!("{}", launch_all(&device, &x, &mut results, threads.parse()?)?);
        return Ok(());
    }

    println!("device: {device}, {} kernels", KERNELS.len());
    let folder = env::temp_dir().join(format!("vyre-loading-{}", process::id()));
    let own = env::current_exe()?;
    let other = env::var_os("VYRE_BENCH_CUBINS").map(PathBuf::from);
    let mut all: [Vec<f64>; 6] = Default::default();
    for _ in 0..RUNS {
        for (kind, threads) in ["1", "8"].into_iter().enumerate() {
            all[3 * kind].push(measured(&own, &folder, threads)?);
            all[3 * kind + 1].push(measured(&own, &folder, threads)?);
            fs::remove_dir_all(&folder)?;
            if let Some(other) = &other {
                all[3 * kind + 2].push(measured(other, &folder, threads)?);
                fs::remove_dir_all(&folder)?;
            }
        }
    }
    let names = [
        "assembled by one thread",
        "again by one thread",
        "machine code by one thread",
        "assembled by eight threads",
        "again by eight threads",
        "machine code by eight threads",
    ];
    let first = median(all[0].clone());
    for (name, times) in names.iter().zip(all) {
        if times.is_empty() {
            continue;
        }
        let seconds = median(times);
        println!(
            "{name:<29} {:>9.2} ms, {:>6.4} of the first",
            seconds * 1e3,
            seconds / first
        );
    }
    Ok(())
}

/// Runs a process; returns the seconds that it has measured.
fn measured(program: &Path, folder: &Path, threads: &str) -> Result<f64, Box<dyn std::error::Error>> {
    fs::create_dir_all(folder)?;
    let output = Command::new(program)
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
