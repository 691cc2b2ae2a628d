//! All-reduce and copies between GPUs, each beside the same by NCCL or the driver directly, in turns; and the examples `heat` and
//! `train` on one to all GPUs.
//!
//! ```text
//! cargo bench -p vyre-many --features nccl --bench many -- [PICTURE.svg]
//! ```
//!
//! Prints medians. Bandwidths of all-reduce are those on the bus, as `nccl-tests` count: the bytes that each GPU sends in a
//! ring, by the time. Draws the speeds of the examples, by default to `target/scaling.svg`.
#![allow(clippy::duplicate_mod, reason = "the examples have their support in common")]

#[allow(dead_code, reason = "a program of its own")]
#[path = "../../examples/heat/main.rs"]
pub mod heat;
mod picture;
mod plain;
#[allow(dead_code, reason = "a program of its own")]
#[path = "../../examples/train/main.rs"]
pub mod train;

use std::path::PathBuf;
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

use vyre::prelude::*;
use vyre_many::{Communicator, Reduction, on_each};

use picture::Bar;
use plain::Plain;

/// Samples of each kind, in turns.
const SAMPLES: usize = 15;
/// Operations of a sample, one after another.
const REPEATED: usize = 10;
/// Elements of a message: a latency, and a bandwidth.
const LENGTHS: [usize; 2] = [2, 1 << 28];

/// Runs of each example with each number of GPUs.
const RUNS: usize = 7;

type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let devices: Vec<Device> = (0..).map_while(|index| Device::cuda(index).ok()).collect();
    if devices.len() < 2 {
        println!("SKIP-GPU bench many: {} CUDA devices, two are needed", devices.len());
        return Ok(());
    }
    println!("{} of {}; medians of {SAMPLES}", devices.len(), devices[0]);
    let plain = Plain::new(devices.len())?;
    for length in LENGTHS {
        all_reduce(&devices, &plain, length)?;
    }
    peer_copy(&devices, &plain)?;
    drop(plain);
    let bars = [scaling_of_heat(&devices)?, scaling_of_training(&devices)?].concat();
    let arguments = std::env::args().skip(1).find(|argument| argument.ends_with(".svg"));
    let file = arguments.map_or_else(|| "target/scaling.svg".into(), PathBuf::from);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&file, picture::drawn(devices[0].name(), &bars))?;
    println!("{}", file.display());
    Ok(())
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Microseconds of an all-reduce of so many `f32`, by vyre and by NCCL. All ranks begin together, and the last one counts.
fn all_reduce(devices: &[Device], plain: &Plain, length: usize) -> Outcome<()> {
    let together = Barrier::new(devices.len());
    let times = Mutex::new([const { Vec::new() }; 4]);
    on_each(devices, |ranks| {
        let mut x = ranks.device().zeros::<f32>(length)?;
        let rank = plain.rank(ranks.rank(), length);
        for sample in 0..=SAMPLES {
            for work in 0..2 {
                together.wait();
                let began = Instant::now();
                let queued = match work {
                    0 => by_vyre(ranks, &mut x)?,
                    _ => rank.all_reduce(),
                };
                together.wait();
                // The first sample loads kernels and makes connections.
                if ranks.rank() == 0 && sample > 0 {
                    let each = |time: Duration| time.as_secs_f64() * 1e6 / REPEATED as f64;
                    let mut times = times.lock().expect("no thread panics");
                    times[work].push(each(began.elapsed()));
                    times[2 + work].push(each(queued - began));
                }
            }
        }
        Ok(())
    })?;
    let [vyre, nccl, vyre_queued, nccl_queued] = times.into_inner()?.map(median);
    let ranks = devices.len() as f64;
    let bus = |micros: f64| 2.0 * (ranks - 1.0) / ranks * (length * 4) as f64 / micros / 1e3;
    println!(
        "all-reduce of {} bytes: {vyre:.1} us ({:.1} GB/s), by NCCL {nccl:.1} us ({:.1} GB/s), {:.3} of its speed; queued in \
         {vyre_queued:.1} and {nccl_queued:.1} us",
        length * 4,
        bus(vyre),
        bus(nccl),
        nccl / vyre
    );
    Ok(())
}

/// Returns when all was queued, once it is done.
fn by_vyre(ranks: &Communicator, x: &mut DeviceBuffer<f32>) -> vyre::Result<Instant> {
    for _ in 0..REPEATED {
        ranks.all_reduce(&mut *x, Reduction::Sum)?;
    }
    let queued = Instant::now();
    ranks.device().default_stream().synchronize()?;
    Ok(queued)
}

/// A copy of 1 GiB from one GPU to another, by vyre and by the driver.
fn peer_copy(devices: &[Device], plain: &Plain) -> Outcome<()> {
    const LENGTH: usize = 1 << 28;
    let x = devices[0].zeros::<f32>(LENGTH)?;
    let mut y = devices[1].zeros::<f32>(LENGTH)?;
    let [from, to] = [0, 1].map(|index| plain.rank(index, LENGTH));
    from.may_access(&to);
    to.may_access(&from);
    let mut times = [const { Vec::new() }; 2];
    for sample in 0..=SAMPLES {
        for (work, times) in times.iter_mut().enumerate() {
            let began = Instant::now();
            match work {
                0 => {
                    for _ in 0..REPEATED {
                        y.copy_from(&x)?;
                    }
                    devices[1].synchronize()?;
                }
                _ => to.copy_from(&from),
            }
            if sample > 0 {
                times.push(began.elapsed().as_secs_f64() * 1e6 / REPEATED as f64);
            }
        }
    }
    let [vyre, driver] = times.map(median);
    let rate = |micros: f64| (LENGTH * 4) as f64 / micros / 1e3;
    println!(
        "copy of 1 GiB to another GPU: {:.1} GB/s, by cuMemcpyPeerAsync {:.1} GB/s, {:.3} of its speed",
        rate(vyre),
        rate(driver),
        driver / vyre
    );
    Ok(())
}

/// The numbers of GPUs: one, two, and so on by doubling, and all.
fn counts(devices: &[Device]) -> Vec<usize> {
    let doubled = std::iter::successors(Some(1), |count| Some(2 * count));
    let mut counts: Vec<_> = doubled.take_while(|&count| count < devices.len()).collect();
    counts.push(devices.len());
    counts
}

/// The speeds of a program with each number of GPUs, by the times of its runs. The results have to be equal.
fn scaling<R: PartialEq>(
    name: &str,
    devices: &[Device],
    run: impl Fn(&[Device]) -> vyre::Result<(R, Vec<Duration>)>,
) -> Outcome<Vec<Bar>> {
    let mut bars = Vec::new();
    let mut alone: Option<(R, f64)> = None;
    for count in counts(devices) {
        let (found, times) = run(&devices[..count])?;
        let mut times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        let (least, took, most) = (times[0], times[times.len() / 2], times[times.len() - 1]);
        let speed = match &alone {
            None => 1.0,
            Some((expected, _)) if *expected != found => {
                return Err(format!("{name}: the result of {count} GPUs differs from that of one").into());
            }
            Some((_, alone)) => alone / took,
        };
        alone.get_or_insert((found, took));
        let gpus = if count == 1 { "GPU" } else { "GPUs" };
        println!("{name}, {count} {gpus}: {took:.1} ms ({least:.1} to {most:.1}), {speed:.2} times the speed of one");
        bars.push(Bar {
            name: format!("{name}, {count} {gpus}"),
            ideal: count as f64,
            speed,
        });
    }
    Ok(bars)
}

fn scaling_of_heat(devices: &[Device]) -> Outcome<Vec<Bar>> {
    const STEPS: usize = 500;
    let plate = heat::Plate {
        width: 8192,
        height: 8192,
    };
    let start = plate.at_first();
    let name = format!("heat, {} x {}, {STEPS} steps", plate.width, plate.height);
    scaling(&name, devices, |devices| {
        let mut all = on_each(devices, |ranks| {
            let mut times = Vec::new();
            let mut found = None;
            for _ in 0..RUNS {
                let (after, took) = plate.from(&start, STEPS, ranks)?;
                times.push(took);
                found = after;
            }
            Ok((
                found.map(|found| found.into_iter().map(f32::to_bits).collect::<Vec<_>>()),
                times,
            ))
        })?;
        Ok(all.swap_remove(0))
    })
}

fn scaling_of_training(devices: &[Device]) -> Outcome<Vec<Bar>> {
    let training = train::Training {
        chunks: 2048,
        length: 1 << 14,
        steps: 100,
    };
    let name = format!("train, 2^25 samples, {} steps", training.steps);
    scaling(&name, devices, |devices| {
        let mut all = on_each(devices, |ranks| {
            let samples = training.samples(ranks)?;
            let mut times = Vec::new();
            let mut found = training.with(&samples, ranks)?.0;
            for _ in 0..RUNS {
                let (trained, took) = training.with(&samples, ranks)?;
                times.push(took);
                found = trained;
            }
            Ok((found, times))
        })?;
        Ok(all.swap_remove(0))
    })
}
