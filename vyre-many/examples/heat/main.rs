//! Heat that flows in a plate, which lies in blocks of rows on several devices.
//!
//! ```text
//! cargo run --release -p vyre-many --features nccl --example heat -- [--cpu] [--ranks N] [--size WIDTHxHEIGHT] [--steps N] [OUTPUT.png]
//! ```
//!
//! `--ranks` starts threads, one for each device. Without it a launcher may start several processes: `torchrun`, `mpirun` or
//! `srun`. The result is that of one device, bit by bit, which is computed too.
#![allow(unreachable_pub, reason = "a program has no outside")]

pub mod kernels;
#[path = "../support/ranks.rs"]
mod ranks;
#[path = "../../../examples/support/mod.rs"]
mod support;

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::{Arg, Parser, ValueExt};
use vyre_many::{Blocks, Communicator, Sharded};

use support::command_line::{self, Arguments, number};

/// A plate.
#[derive(Clone, Copy)]
pub struct Plate {
    /// In cells.
    pub width: usize,
    /// In cells.
    pub height: usize,
}

impl Plate {
    /// The temperatures at first, row by row: hot discs on a cold plate, whose border is hot at the left.
    pub fn at_first(&self) -> Vec<f32> {
        /// The discs: middle and radius, in parts of the plate, and temperature.
        const DISCS: [[f32; 4]; 4] = [
            [0.3, 0.3, 0.12, 1.0],
            [0.7, 0.25, 0.08, 0.8],
            [0.55, 0.65, 0.17, 0.9],
            [0.2, 0.8, 0.06, 1.0],
        ];
        let side = self.width.min(self.height) as f32;
        let cell = |i: usize| {
            let (x, y) = (i % self.width, i / self.width);
            let is_hot = |&&[across, down, radius, _]: &&[f32; 4]| {
                let (dx, dy) = (
                    x as f32 - across * self.width as f32,
                    y as f32 - down * self.height as f32,
                );
                dx * dx + dy * dy < radius * radius * side * side
            };
            match DISCS.iter().find(is_hot) {
                _ if x == 0 => 1.0,
                Some(&[.., temperature]) => temperature,
                None => 0.0,
            }
        };
        (0..self.width * self.height).map(cell).collect()
    }

    /// The temperatures after some steps, on rank 0, and the time that the steps took.
    pub fn after(&self, steps: usize, ranks: &Communicator) -> vyre::Result<(Option<Vec<f32>>, Duration)> {
        let start = if ranks.rank() == 0 { self.at_first() } else { Vec::new() };
        self.from(&start, steps, ranks)
    }

    /// The same from these temperatures on, which rank 0 has.
    pub fn from(
        &self,
        start: &[f32],
        steps: usize,
        ranks: &Communicator,
    ) -> vyre::Result<(Option<Vec<f32>>, Duration)> {
        /// The rows around a block. An exchange is for as many steps, since it takes as long for one row as for some.
        const HALO: usize = 8;
        let (width, height) = (self.width, self.height);
        let halo = match ranks.ranks() {
            1 => 1,
            ranks => HALO.min(height / ranks).max(1),
        };
        let blocks = Blocks::new(height, width).halo(halo);
        let mut now = Sharded::scatter(ranks, blocks, start, 0)?;
        let mut next = Sharded::zeros(ranks, blocks)?;
        ranks.device().load::<kernels::Step>()?;
        // The first exchange connects the ranks.
        now.exchange_halo()?;
        ranks.device().synchronize()?;
        let progress = ranks::bar(ranks, steps);
        let started = Instant::now();
        for step in 0..steps {
            let since = step % halo;
            if since == 0 {
                now.exchange_halo()?;
            }
            // Beside the own rows, those of the halo that the next steps need: one less each time.
            let (rows, more) = (now.rows(), halo - 1 - since);
            let (first, end) = (rows.start.saturating_sub(more), (rows.end + more).min(height));
            let [from, to] = [first, end].map(|row| (row + halo - rows.start) * width);
            let around = now.padded().slice(from - width..to + width)?;
            kernels::step(first, height, width, around, next.padded_mut().slice_mut(from..to)?)
                .over([width, end - first])
                .launch(ranks.device())?;
            std::mem::swap(&mut now, &mut next);
            progress.inc(1);
        }
        ranks.device().synchronize()?;
        let took = started.elapsed();
        progress.finish_and_clear();
        Ok((now.gather(0)?, took))
    }
}

/// The colour of a temperature from 0 to 1: black, red, yellow, white.
pub fn colour(temperature: f32) -> [u8; 3] {
    [0.0, 1.0, 2.0].map(|from| ((3.0 * temperature - from).clamp(0.0, 1.0) * 255.0) as u8)
}

const HELP: &str = "\
Heat that flows in a plate, in blocks of rows on several devices.

usage: heat [--cpu] [--ranks N] [--size WIDTHxHEIGHT] [--steps N] [OUTPUT.png]

  --ranks N             threads with a device each: GPUs, or the CPU where there are fewer (as a launcher says, or 1)
  --size WIDTHxHEIGHT   of the plate in cells (640x480)
  --steps N             how many (2000)
  OUTPUT.png            the picture to write (target/heat.png)
  --cpu                 computes on the CPU
";

fn main() -> ExitCode {
    command_line::run("heat", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let (mut count, mut steps) = (None, 2000);
    let mut plate = Plate {
        width: 640,
        height: 480,
    };
    let arguments = Arguments::read_with(parser, |option, parser| {
        match option {
            Arg::Long("ranks") => count = Some(parser.value()?.parse_with(number("--ranks", 1..=64))?),
            Arg::Long("size") => (plate.width, plate.height) = parser.value()?.parse_with(command_line::size(65536))?,
            Arg::Long("steps") => steps = parser.value()?.parse_with(number("--steps", 1..=1_000_000))?,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?
    .at_most(1)?;
    let output = arguments.path(0, "target/heat.png");
    command_line::prepare_png(&output, None)?;

    let found = ranks::run(count, arguments.cpu, |ranks| {
        let (found, took) = plate.after(steps, ranks)?;
        Ok((found, took, ranks.ranks(), ranks.device().clone()))
    })?;
    let Some((Some(found), took, ranks, device)) = found else {
        // Another rank has the result.
        return Ok(ExitCode::SUCCESS);
    };
    let alone = Communicator::local(std::slice::from_ref(&device))?.remove(0);
    let (expected, took_alone) = plate.after(steps, &alone)?;
    let ms = |took: Duration| took.as_secs_f64() * 1e3;
    writeln!(out, "{steps} steps of {} x {} cells", plate.width, plate.height)?;
    writeln!(
        out,
        "{ranks} ranks: {:.1} ms; 1 rank on {device}: {:.1} ms",
        ms(took),
        ms(took_alone)
    )?;
    support::explain_cpu(out, &device, arguments.cpu)?;
    let bits = |values: &[f32]| -> Vec<u32> { values.iter().map(|value| value.to_bits()).collect() };
    if bits(&found) != expected.as_deref().map(bits).unwrap_or_default() {
        return Err("the result of several ranks differs from that of one".into());
    }
    writeln!(out, "the results are equal, bit by bit")?;
    let samples: Vec<u8> = found.iter().flat_map(|&temperature| colour(temperature)).collect();
    let size = [plate.width, plate.height];
    support::files::write_png(&output, size, png::ColorType::Rgb, &samples)?;
    writeln!(out, "{}", output.display())?;
    Ok(ExitCode::SUCCESS)
}
