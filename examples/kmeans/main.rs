//! Finds clusters in the points of a CSV file, by Lloyd's algorithm (1957), and draws them.
//!
//! ```text
//! cargo run --release --example kmeans -- [--cpu] [-k CLUSTERS] [--seed N] [FILE.csv [OUTPUT.png]]
//! cargo run --release --example kmeans -- --make COUNT FILE.csv
//! ```
//!
//! The same is computed on the threads of rayon, and must be the same to the last bit: distances are added up in the
//! same order, and sums of points are integers, whose order does not matter.
#![allow(unreachable_pub, reason = "a program has no outside")]

pub mod clusters;
pub mod kernels;
mod plot;
pub mod points;
#[path = "../support/mod.rs"]
mod support;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use indicatif::ProgressBar;
use lexopt::{Arg, Parser, ValueExt};

use clusters::OnDevice;
use plot::Plot;
use points::Points;
use support::command_line::{self, Arguments, number};
use support::progress;

/// The seed of the first centres; from others the algorithm may end with two centres in one cluster.
pub const SEED: u64 = 3;
/// Most iterations.
const LIMIT: usize = 300;
/// Most points: labels and counts have 32 bits.
const MOST: usize = 1 << 31;

const HELP: &str = "\
Finds clusters in the points of a CSV file, draws them, and prints the times beside those of rayon.

usage: kmeans [--cpu] [-k CLUSTERS] [--seed N] [FILE.csv [OUTPUT.png]]
       kmeans --make COUNT FILE.csv

  FILE.csv       points, one a line, of numbers with commas between (examples/data/spiral.csv)
  OUTPUT.png     the picture to write, of the first two columns (target/kmeans.png)
  -k CLUSTERS    how many clusters (12)
  --seed N       where to begin (3)
  --make COUNT   writes a file of points on a spiral, and ends
  --cpu          computes on the CPU
";

fn main() -> ExitCode {
    command_line::run("kmeans", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let (mut clusters, mut seed, mut make) = (12usize, SEED, None);
    let arguments = Arguments::read_with(parser, |option, parser| {
        match option {
            Arg::Short('k') => clusters = parser.value()?.parse_with(number("-k", 1..=1 << 20))?,
            Arg::Long("seed") => seed = parser.value()?.parse_with(number("--seed", 0..=u64::MAX))?,
            Arg::Long("make") => make = Some(parser.value()?.parse_with(number("--make", 1..=MOST))?),
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?
    .at_most(2)?;
    let input = arguments.path(0, "examples/data/spiral.csv");
    if let Some(count) = make {
        return make_file(&arguments, &input, count, out);
    }
    let output = arguments.path(1, "target/kmeans.png");
    command_line::prepare_png(&output, Some(&input))?;
    let points = Points::read(&input)?;
    let columns = points.names.len();
    if !(1..=points.count()).contains(&clusters) || points.count() > MOST {
        return Err(format!("{} points make no {clusters} clusters", points.count()).into());
    }
    if !clusters::fits(clusters, columns) {
        return Err(format!("{clusters} clusters of {columns} columns are too many for the memory of a block").into());
    }

    let device = support::device(arguments.cpu)?;
    let progress = progress::bar("centre", clusters as u64);
    let seeds = clusters::seeds(&points, clusters, seed, &progress);
    progress.finish_and_clear();
    let mut on_device = OnDevice::new(&device, &points, clusters)?;
    // The first iteration loads the kernels.
    on_device.run(seeds.clone(), 1, &ProgressBar::hidden())?;
    let progress = progress::bar("iteration", LIMIT as u64);
    let started = Instant::now();
    let (found, iterations) = on_device.run(seeds.clone(), LIMIT, &progress)?;
    let took = started.elapsed();
    progress.finish_and_clear();
    // Rayon needs as many.
    let progress = progress::bar("iteration", iterations as u64);
    let started = Instant::now();
    let (expected, expected_iterations) = clusters::by_rayon(&points, seeds, LIMIT, &progress);
    let rayon_took = started.elapsed();
    progress.finish_and_clear();

    writeln!(
        out,
        "{}: {} points of {}",
        input.display(),
        points.count(),
        points.names.join(", ")
    )?;
    for (centre, count) in found.centres.chunks_exact(columns).zip(&found.counts) {
        let centre: Vec<String> = centre.iter().map(|value| format!("{value:>9.3}")).collect();
        writeln!(out, "{count:>9} points about {}", centre.join(" "))?;
    }
    let per_iteration = |took: std::time::Duration| took.as_secs_f64() * 1e3 / iterations as f64;
    writeln!(out, "{iterations} iterations")?;
    writeln!(out, "{:>9.3} ms each on {}", per_iteration(took), device.name())?;
    let threads = rayon::current_num_threads();
    writeln!(
        out,
        "{:>9.3} ms each by rayon, on {threads} threads",
        per_iteration(rayon_took)
    )?;
    support::explain_cpu(out, &device, arguments.cpu)?;
    if (&found, iterations) != (&expected, expected_iterations) {
        return Err("the device has found other clusters than rayon".into());
    }
    writeln!(out, "the clusters equal those of rayon to the last bit")?;

    let mut plot = Plot::new(&points);
    if columns == 2 {
        let plane = OnDevice::new(&device, &plot.plane(), clusters)?;
        plot.tint(&plane.labels(&found.centres)?);
    }
    plot.draw(&points, &found);
    plot.write(&output)?;
    writeln!(out, "wrote {}", output.display())?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a file of points that the program makes up.
fn make_file(arguments: &Arguments, path: &Path, count: usize, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    if arguments.values.len() != 1 || !(1..=MOST).contains(&count) {
        return Err("--make takes a number of points, and the file to write".into());
    }
    if path.exists() {
        return Err(command_line::at(path)(&"the file exists already"));
    }
    std::fs::write(path, Points::spiral(count).text()).map_err(|error| command_line::at(path)(&error))?;
    writeln!(out, "wrote {}", path.display())?;
    Ok(ExitCode::SUCCESS)
}
