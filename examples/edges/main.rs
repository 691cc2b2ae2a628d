//! Finds the edges in a picture.
//!
//! ```text
//! cargo run --release --example edges -- [--cpu] [PICTURE [OUTPUT.png]]
//! ```
//!
//! The picture is a PNG or JPEG file; by default a still life rendered by `examples/render`. The
//! algorithm is Canny's (1986): blur, gradient, non-maximum suppression, hysteresis. Checks that the
//! result is that of plain Rust to the last bit, and prints the time of each pass beside that of
//! plain Rust on one thread; where the device is the CPU, its passes are timed on one thread too. The
//! kernel that links edges has another algorithm than plain Rust, which the table shows in both.
#![allow(unreachable_pub, reason = "a program has no outside")]

pub mod kernels;
pub mod picture;
mod plain;
#[path = "../support/mod.rs"]
pub mod support;

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::Parser;
use vyre::prelude::*;

use picture::Picture;
use support::clock::Clock;
use support::command_line::{self, Arguments};

/// Gradient, in units of brightness under Sobel's weights, from which a crest is a faint edge.
const FAINT: f32 = 16.0;
/// Gradient from which a crest is a clear edge.
const CLEAR: f32 = 48.0;
/// Launches of `link` between two checks for convergence: a launch with nothing to do costs less
/// than a check.
const LINKS: usize = 8;
/// The step of plain Rust that links by the algorithm of the kernel.
const LINK_TILES: &str = "link, in tiles";
/// Timed iterations, at most: those that begin within [`LIMIT`].
const ROUNDS: usize = 10;
const LIMIT: Duration = Duration::from_secs(1);

/// Weights of a Gaussian blur, normalised to 1.
pub fn gaussian(sigma: f32) -> Vec<f32> {
    let radius = (3.0 * sigma).ceil() as i32;
    let weights: Vec<f32> = (-radius..=radius)
        .map(|k| (-(k * k) as f32 / (2.0 * sigma * sigma)).exp())
        .collect();
    let sum: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// An edge detector for pictures of one size, with its memory on a device.
pub struct Detector {
    device: Device,
    width: usize,
    height: usize,
    weights: DeviceBuffer<f32>,
    rgb: DeviceBuffer<u8>,
    // Two consecutive passes never need more than two pictures of floats.
    first: DeviceBuffer<f32>,
    second: DeviceBuffer<f32>,
    axis: DeviceBuffer<u8>,
    // A bit for each pixel.
    faint: DeviceBuffer<u32>,
    clear: DeviceBuffer<u32>,
    // For each launch of `link`, nonzero if another one is needed.
    grown: DeviceBuffer<u32>,
    edges: DeviceBuffer<u8>,
}

impl Detector {
    /// Allocates memory for pictures of one size.
    pub fn new(device: &Device, width: usize, height: usize, weights: &[f32]) -> vyre::Result<Detector> {
        let (pixels, words) = (width * height, width.div_ceil(32) * height);
        Ok(Detector {
            device: device.clone(),
            width,
            height,
            weights: device.upload(weights)?,
            rgb: device.zeros(3 * pixels)?,
            first: device.zeros(pixels)?,
            second: device.zeros(pixels)?,
            axis: device.zeros(pixels)?,
            faint: device.zeros(words)?,
            clear: device.zeros(words)?,
            grown: device.zeros(LINKS)?,
            edges: device.zeros(pixels)?,
        })
    }

    /// Finds the edges: 255 for an edge, else 0.
    pub fn detect(&mut self, rgb: &[u8], clock: &mut Clock) -> vyre::Result<Vec<u8>> {
        let Detector {
            device,
            width,
            height,
            weights,
            rgb: pixels,
            first,
            second,
            axis,
            faint,
            clear,
            grown,
            edges,
        } = self;
        let (w, h) = (*width, *height);
        // Words of 32 pixels.
        let words = w.div_ceil(32);

        clock.start();
        pixels.write(rgb)?;
        clock.lap("upload")?;
        kernels::brightness(&*pixels, &mut *first).over(w * h).launch(device)?;
        clock.lap("brightness")?;
        kernels::blur_rows(first.view2(h, w)?, &*weights, second.view2_mut(h, w)?)
            .over([w, h])
            .launch(device)?;
        clock.lap("blur rows")?;
        kernels::blur_columns(second.view2(h, w)?, &*weights, first.view2_mut(h, w)?)
            .over([w, h])
            .launch(device)?;
        clock.lap("blur columns")?;
        kernels::sobel(first.view2(h, w)?, second.view2_mut(h, w)?, axis.view2_mut(h, w)?)
            .over([w, h])
            .launch(device)?;
        clock.lap("sobel")?;
        let (ones, twos) = (faint.view2_mut(h, words)?, clear.view2_mut(h, words)?);
        kernels::thin(&*second, &*axis, ones, twos, w, FAINT, CLEAR)
            .over([w, h])
            .launch(device)?;
        clock.lap("thin")?;
        loop {
            grown.write(&[0; LINKS])?;
            for round in 0..LINKS {
                kernels::link(faint.view2(h, words)?, &mut *clear, &mut *grown, round)
                    .over([words, h])
                    .launch(device)?;
            }
            if grown.download()?[LINKS - 1] == 0 {
                break;
            }
        }
        clock.lap("link")?;
        kernels::paint(clear.view2(h, words)?, edges.view2_mut(h, w)?)
            .over([w, h])
            .launch(device)?;
        clock.lap("paint")?;
        let found = edges.download()?;
        clock.lap("download")?;
        Ok(found)
    }
}

/// The same on one thread of the CPU, in plain Rust, with memory of its own.
pub struct PlainDetector {
    width: usize,
    weights: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    axis: Vec<u8>,
    marks: Vec<u32>,
    // The marks as the kernel `link` has them, a bit for each pixel.
    faint: Vec<u32>,
    clear: Vec<u32>,
    edges: Vec<u8>,
}

impl PlainDetector {
    /// Allocates memory for pictures of one size.
    pub fn new(width: usize, height: usize, weights: &[f32]) -> PlainDetector {
        let (pixels, words) = (width * height, width.div_ceil(32) * height);
        PlainDetector {
            width,
            weights: weights.to_vec(),
            first: vec![0.0; pixels],
            second: vec![0.0; pixels],
            axis: vec![0; pixels],
            marks: vec![0; pixels],
            faint: vec![0; words],
            clear: vec![0; words],
            edges: vec![0; pixels],
        }
    }

    /// Finds the edges: 255 for an edge, else 0.
    pub fn detect(&mut self, rgb: &[u8], clock: &mut Clock) -> vyre::Result<&[u8]> {
        let PlainDetector {
            width,
            weights,
            first,
            second,
            axis,
            marks,
            faint,
            clear,
            edges,
        } = self;
        let width = *width;
        clock.start();
        plain::brightness(rgb, first);
        clock.lap("brightness")?;
        plain::blur_rows(first, weights, width, second);
        clock.lap("blur rows")?;
        plain::blur_columns(second, weights, width, first);
        clock.lap("blur columns")?;
        plain::sobel(first, width, second, axis);
        clock.lap("sobel")?;
        plain::thin(second, axis, width, FAINT, CLEAR, marks);
        clock.lap("thin")?;
        plain::pack(marks, 1, width, faint);
        plain::pack(marks, 2, width, clear);
        clock.start();
        plain::link_tiles(faint, clear, width.div_ceil(32));
        clock.lap(LINK_TILES)?;
        plain::link(marks, width);
        clock.lap("link")?;
        plain::paint(marks, edges);
        clock.lap("paint")?;
        plain::pack(marks, 2, width, faint);
        assert!(clear == faint, "both ways to link find the same edges");
        Ok(edges)
    }
}

const HELP: &str = "\
Finds the edges in a picture, checks them against plain Rust, and prints the times of both.

usage: edges [--cpu] [PICTURE [OUTPUT.png]]

  PICTURE      a PNG or JPEG file (examples/data/still-life.png)
  OUTPUT.png   the edges (target/edges.png)
  --cpu        computes on the CPU
";

fn main() -> ExitCode {
    command_line::run("edges", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let arguments = Arguments::read(parser)?.at_most(2)?;
    let input = arguments.path(0, "examples/data/still-life.png");
    let output = arguments.path(1, "target/edges.png");
    command_line::prepare_png(&output, Some(&input))?;
    let picture = Picture::read(&input)?;
    let weights = gaussian(1.4);

    let device = support::device(arguments.cpu)?;
    let mut detector = Detector::new(&device, picture.width, picture.height, &weights)?;
    // The first iteration loads the kernels.
    detector.detect(&picture.rgb, &mut Clock::new(Some(&device)))?;
    let found = detector.detect(&picture.rgb, &mut Clock::new(Some(&device)))?;
    let size = [picture.width, picture.height];
    support::files::write_png(&output, size, png::ColorType::Grayscale, &found)?;

    let whole = shortest(|| detector.detect(&picture.rgb, &mut Clock::new(None)))?;
    let (passes, plain) = time_passes(&mut detector, &picture, &weights, &found)?;
    writeln!(
        out,
        "wrote {}: the edges of {}, {} x {} pixels",
        output.display(),
        input.display(),
        picture.width,
        picture.height
    )?;
    writeln!(out, "device: {}", device.name())?;
    support::explain_cpu(out, &device, arguments.cpu)?;
    let threads = match device.is_cuda() {
        true => String::new(),
        false => format!(" on {} threads", rayon::current_num_threads()),
    };
    writeln!(
        out,
        "time: {:.2} ms{threads}, from pixels to edges",
        milliseconds(whole)
    )?;
    writeln!(out, "check: every pixel equals that of plain Rust")?;
    writeln!(out)?;
    write_table(out, &device, &passes, &plain)?;
    Ok(ExitCode::SUCCESS)
}

/// The timed iterations: one, and as many more as begin in time.
fn rounds() -> impl Iterator<Item = usize> {
    let started = Instant::now();
    (0..ROUNDS).take_while(move |&round| round == 0 || started.elapsed() < LIMIT)
}

/// The shortest time of a detection.
fn shortest(mut detect: impl FnMut() -> vyre::Result<Vec<u8>>) -> vyre::Result<Duration> {
    let mut shortest = Duration::MAX;
    for _ in rounds() {
        let started = Instant::now();
        detect()?;
        shortest = shortest.min(started.elapsed());
    }
    Ok(shortest)
}

/// Times the passes, of the device and of plain Rust, in turns. The CPU, as a device, gets one thread, as plain Rust has.
fn time_passes(
    detector: &mut Detector,
    picture: &Picture,
    weights: &[f32],
    found: &[u8],
) -> command_line::Result<(Clock, Clock)> {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut reference = PlainDetector::new(picture.width, picture.height, weights);
    let (mut passes, mut plain) = (Clock::new(Some(&detector.device)), Clock::new(None));
    for _ in rounds() {
        one_thread.install(|| detector.detect(&picture.rgb, &mut passes))?;
        if reference.detect(&picture.rgb, &mut plain)? != found {
            return Err("the device's edges differ from those of plain Rust".into());
        }
    }
    Ok((passes, plain))
}

fn write_table(out: &mut dyn Write, device: &Device, passes: &Clock, plain: &Clock) -> command_line::Result<()> {
    let [device, host] = match device.is_cuda() {
        true => ["GPU", "CPU, 1 thread"],
        false => ["1 thread", "1 thread"],
    };
    writeln!(out, "{:<14} {:>12} {:>15}", "", "vyre", "plain Rust")?;
    writeln!(out, "{:<14} {device:>12} {host:>15} {:>9}", "pass", "speed-up")?;
    let (mut all, mut all_plain) = (0.0, 0.0);
    for &(name, time) in passes.steps() {
        let time = milliseconds(time);
        match plain.step(name) {
            Some(plain) => {
                let plain = milliseconds(plain);
                (all, all_plain) = (all + time, all_plain + plain);
                writeln!(out, "{name:<14} {time:>9.3} ms {plain:>12.3} ms {:>8.2}x", plain / time)?;
            }
            None => writeln!(out, "{name:<14} {time:>9.3} ms")?,
        }
        if name == "link"
            && let Some(tiles) = plain.step(LINK_TILES)
        {
            let tiles = milliseconds(tiles);
            writeln!(
                out,
                "{LINK_TILES:<14} {:>12} {tiles:>12.3} ms {:>8.2}x",
                "",
                tiles / time
            )?;
        }
    }
    let speed_up = all_plain / all;
    writeln!(
        out,
        "{:<14} {all:>9.3} ms {all_plain:>12.3} ms {speed_up:>8.2}x",
        "all passes"
    )?;
    writeln!(out)?;
    writeln!(
        out,
        "The kernel `link` goes over tiles until none changes, which any number of threads can do. Plain Rust follows\n\
         each edge with a stack; `{LINK_TILES}` is plain Rust by the algorithm of the kernel."
    )?;
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
