//! Logistic regression whose samples lie on several devices.
//!
//! ```text
//! cargo run --release -p vyre-many --features nccl --example train -- [--cpu] [--ranks N] [--samples N] [--chunks N] [--steps N]
//! ```
//!
//! Samples lie in chunks, of which each rank has some. In a step each rank adds up the gradients of its chunks, an all-reduce
//! gives all sums to all ranks, and each descends by them. A chunk is in one place, so each sum of the all-reduce has one term
//! that is not zero: the weights are the same for any number of ranks, bit by bit. The losses are those of plain Rust.
#![allow(unreachable_pub, reason = "a program has no outside")]

pub mod kernels;
pub mod plain;
#[path = "../support/ranks.rs"]
mod ranks;
#[path = "../../../examples/support/mod.rs"]
mod support;

use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::{Arg, Parser, ValueExt};
use vyre::DeviceBuffer;
use vyre_many::{Blocks, Communicator, Reduction};

use kernels::{FEATURES, SUMS};
use support::command_line::{self, Arguments, number};

/// The rate of descent.
pub const RATE: f32 = 0.5;

/// A run of the training.
#[derive(Clone, Copy)]
pub struct Training {
    /// The chunks of all samples.
    pub chunks: usize,
    /// Samples of a chunk.
    pub length: usize,
    /// Steps of descent.
    pub steps: usize,
}

/// The result of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The weights, and the bias.
    pub weights: Vec<f32>,
    /// The mean loss before each step.
    pub losses: Vec<f32>,
}

/// The samples of a chunk with their labels: points on either side of a plane, some of them on the wrong one.
pub fn chunk(number: usize, length: usize) -> (Vec<[f32; FEATURES]>, Vec<f32>) {
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ ((number as u64 + 1) << 20);
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut sample = || {
        let x: [f32; FEATURES] = std::array::from_fn(|_| uniform());
        let height: f32 = x
            .iter()
            .enumerate()
            .map(|(i, value)| value * (i as f32 - 6.0) / 4.0)
            .sum();
        let label = if height + 0.5 * uniform() > 0.0 { 1.0 } else { 0.0 };
        (x, label)
    };
    (0..length).map(|_| sample()).unzip()
}

/// The samples of a rank, on its device.
pub struct Samples {
    /// A row for each feature, so that neighbouring threads read neighbouring values.
    x: DeviceBuffer<f32>,
    labels: DeviceBuffer<f32>,
}

impl Training {
    /// Trains, with all ranks. The results are the same on each. The time is that of the steps.
    pub fn run(&self, ranks: &Communicator) -> vyre::Result<(Trained, Duration)> {
        self.with(&self.samples(ranks)?, ranks)
    }

    /// The chunks of a rank.
    fn own(&self, ranks: &Communicator) -> Range<usize> {
        Blocks::new(self.chunks, 1).of(ranks.rank(), ranks.ranks())
    }

    /// Makes the samples of a rank.
    pub fn samples(&self, ranks: &Communicator) -> vyre::Result<Samples> {
        let own = self.own(ranks);
        let count = own.len() * self.length;
        let (mut rows, mut all) = (vec![0.0; FEATURES * count], Vec::with_capacity(count));
        for number in own {
            let (x, labels) = chunk(number, self.length);
            for (i, sample) in x.iter().enumerate() {
                for (feature, &value) in sample.iter().enumerate() {
                    rows[feature * count + all.len() + i] = value;
                }
            }
            all.extend(labels);
        }
        Ok(Samples {
            x: ranks.device().upload(&rows)?,
            labels: ranks.device().upload(&all)?,
        })
    }

    /// Trains on samples that were made before.
    pub fn with(&self, samples: &Samples, ranks: &Communicator) -> vyre::Result<(Trained, Duration)> {
        let (device, chunks) = (ranks.device(), self.own(ranks));
        let Samples { x, labels } = samples;
        let own = labels.len();
        let (mut errors, mut losses) = (device.zeros(own)?, device.zeros(own)?);
        let mut sums = device.zeros::<f32>(self.chunks * SUMS)?;
        let mut weights = device.zeros::<f32>(SUMS)?;
        let mut history = device.zeros::<f32>(self.steps)?;
        device.load::<kernels::Predict>()?;
        device.load::<kernels::Sums>()?;
        device.load::<kernels::Descend>()?;
        // The first operation of ranks connects them.
        ranks.all_reduce(&mut sums, Reduction::Sum)?;
        device.synchronize()?;
        let progress = ranks::bar(ranks, self.steps);
        let started = Instant::now();
        for step in 0..self.steps {
            kernels::predict(x, labels, &weights, &mut errors, &mut losses)
                .over(own)
                .launch(device)?;
            // Those of the other ranks are theirs.
            sums.fill(0.0)?;
            if !chunks.is_empty() {
                let place = sums.slice_mut(chunks.start * SUMS..chunks.end * SUMS)?;
                let blocks = (chunks.len() * SUMS) as u32;
                kernels::sums(self.length, x, &errors, &losses, place)
                    .grid(blocks)
                    .launch(device)?;
            }
            ranks.all_reduce(&mut sums, Reduction::Sum)?;
            let samples = (self.chunks * self.length) as f32;
            kernels::descend(RATE, samples, &sums, &mut weights)
                .grid(SUMS as u32)
                .launch(device)?;
            history
                .slice_mut(step..step + 1)?
                .copy_from(weights.slice(SUMS - 1..)?)?;
            progress.inc(1);
        }
        let losses = history.download()?;
        let took = started.elapsed();
        progress.finish_and_clear();
        let mut weights = weights.download()?;
        weights.truncate(FEATURES + 1);
        Ok((Trained { weights, losses }, took))
    }
}

const HELP: &str = "\
Logistic regression whose samples lie on several devices.

usage: train [--cpu] [--ranks N] [--samples N] [--chunks N] [--steps N]

  --ranks N     threads with a device each: GPUs, or the CPU where there are fewer (as a launcher says, or 1)
  --samples N   how many, rounded up to a multiple of the chunks (65536)
  --chunks N    the parts of the samples that are added up by themselves; no more ranks than these have samples (64)
  --steps N     of descent (100)
  --cpu         computes on the CPU
";

fn main() -> ExitCode {
    command_line::run("train", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let (mut count, mut samples, mut chunks, mut steps) = (None, 65536usize, 64, 100);
    let arguments = Arguments::read_with(parser, |option, parser| {
        match option {
            Arg::Long("ranks") => count = Some(parser.value()?.parse_with(number("--ranks", 1..=64))?),
            Arg::Long("samples") => samples = parser.value()?.parse_with(number("--samples", 1..=1 << 30))?,
            Arg::Long("chunks") => chunks = parser.value()?.parse_with(number("--chunks", 1..=4096))?,
            Arg::Long("steps") => steps = parser.value()?.parse_with(number("--steps", 1..=1_000_000))?,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?
    .at_most(0)?;
    let training = Training {
        chunks,
        length: samples.div_ceil(chunks),
        steps,
    };
    let found = ranks::run(count, arguments.cpu, |ranks| {
        let (found, took) = training.run(ranks)?;
        Ok((found, took, ranks.ranks(), ranks.device().clone()))
    })?;
    let Some((found, took, ranks, device)) = found else {
        // Rank 0 tells it.
        return Ok(ExitCode::SUCCESS);
    };
    let alone = Communicator::local(std::slice::from_ref(&device))?.remove(0);
    let (expected, took_alone) = training.run(&alone)?;
    let ms = |took: Duration| took.as_secs_f64() * 1e3;
    writeln!(
        out,
        "{} samples of {FEATURES} features, {steps} steps",
        training.length * chunks
    )?;
    writeln!(
        out,
        "{ranks} ranks: {:.1} ms; 1 rank on {device}: {:.1} ms",
        ms(took),
        ms(took_alone)
    )?;
    support::explain_cpu(out, &device, arguments.cpu)?;
    for (step, loss) in found.losses.iter().enumerate().step_by(steps.div_ceil(10)) {
        writeln!(out, "step {step:5}: loss {loss:.6}")?;
    }
    if found != expected {
        return Err("the result of several ranks differs from that of one".into());
    }
    writeln!(out, "the weights are equal, bit by bit")?;
    // Plain Rust is slow; the first steps show whether the gradient is right.
    let checked = steps.min(10);
    let (x, labels): (Vec<_>, Vec<_>) = (0..chunks).map(|number| chunk(number, training.length)).unzip();
    let plain = plain::losses(&x.concat(), &labels.concat(), f64::from(RATE), checked);
    let difference = |(&loss, plain): (&f32, &f64)| (f64::from(loss) - plain).abs();
    let worst = found.losses.iter().zip(&plain).map(difference).fold(0.0, f64::max);
    writeln!(
        out,
        "the losses of {checked} steps are those of plain Rust within {worst:.1e}"
    )?;
    // The kernel adds up the chunks in single precision.
    let rounding = chunks as f64 * f64::from(f32::EPSILON);
    match worst < rounding.max(1e-5) {
        true => Ok(ExitCode::SUCCESS),
        false => Err("the losses differ from those of plain Rust".into()),
    }
}
