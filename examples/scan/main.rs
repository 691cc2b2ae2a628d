//! Counts patterns in files, all patterns in one pass on the device.
//!
//! ```text
//! cargo run --release --example scan -- [--cpu] PATTERN [PATH..]
//! cargo run --release --example scan -- [--cpu] -e PATTERN [-e PATTERN ..] [PATH..]
//! ```
//!
//! Prints `file:count` for each file that contains the pattern, preceded by the pattern and a tab
//! if there are several. Paths are files or folders; the default is the current folder.
//!
//! A count is the number of lines that `grep -a -o -F -e PATTERN FILE` prints in the C locale:
//! matches are found from the left, and a match that overlaps the previous one does not count
//! ("aaaaa" contains "aa" twice). Each pattern is counted as if it were the only one; matches of
//! different patterns may overlap.
#![allow(unreachable_pub, reason = "a program has no outside")]

mod automaton;
pub mod files;
pub mod kernels;
#[path = "../support/mod.rs"]
mod support;

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::{Arg, Parser};
use vyre::prelude::*;

use automaton::Automaton;
use files::{Batch, Batches};
use support::command_line::{self, Arguments};
use support::progress;

/// Bytes of text per thread.
const CHUNK: usize = 256;

/// Patterns on a device.
pub struct Scanner {
    device: Device,
    patterns: usize,
    classes: usize,
    first_match: u32,
    longest: usize,
    class: DeviceBuffer<u8>,
    next: DeviceBuffer<u32>,
    ends_start: DeviceBuffer<u32>,
    ends: DeviceBuffer<u32>,
    letters: DeviceBuffer<u8>,
    pattern_start: DeviceBuffer<usize>,
    overlapping: DeviceBuffer<u8>,
}

impl Scanner {
    /// Compiles patterns and uploads the tables.
    pub fn new(device: &Device, patterns: &[Vec<u8>]) -> Result<Scanner, Box<dyn Error>> {
        for pattern in patterns {
            if pattern.is_empty() || pattern.contains(&b'\n') {
                return Err("a pattern has at least one byte, and no newline".into());
            }
        }
        let automaton = Automaton::new(patterns);
        let mut pattern_start = vec![0];
        for pattern in patterns {
            pattern_start.push(pattern_start[pattern_start.len() - 1] + pattern.len());
        }
        let overlapping: Vec<u8> = patterns
            .iter()
            .map(|p| u8::from(automaton::overlaps_itself(p)))
            .collect();
        Ok(Scanner {
            device: device.clone(),
            patterns: patterns.len(),
            classes: automaton.classes,
            first_match: automaton.first_match,
            longest: automaton.longest,
            class: device.upload(&automaton.class)?,
            next: device.upload(&automaton.next)?,
            ends_start: device.upload(&automaton.ends_start)?,
            ends: device.upload(&automaton.ends)?,
            letters: device.upload(&patterns.concat())?,
            pattern_start: device.upload(&pattern_start)?,
            overlapping: device.upload(&overlapping)?,
        })
    }

    /// Counts each pattern in each file of a batch: the counts of the first file, then those of the
    /// second, and so on. Also returns the time on the device.
    pub fn count(&self, batch: &Batch) -> vyre::Result<(Vec<u32>, Duration)> {
        let mut chunk_start = Vec::new();
        let mut chunk_file = Vec::new();
        for (file, bounds) in batch.starts.windows(2).enumerate() {
            for start in (bounds[0]..bounds[1]).step_by(CHUNK) {
                chunk_start.push(start);
                chunk_file.push(file as u32);
            }
        }
        let text = self.device.upload(&batch.text)?;
        let file_start = self.device.upload(&batch.starts)?;
        let chunk_start = self.device.upload(&chunk_start)?;
        let chunk_file = self.device.upload(&chunk_file)?;
        let mut counts = self.device.zeros::<u32>(batch.files.len() * self.patterns)?;
        self.device.synchronize()?;

        let started = Instant::now();
        kernels::count_matches(
            &text,
            &file_start,
            &chunk_start,
            &chunk_file,
            CHUNK,
            &self.class,
            self.classes,
            &self.next,
            self.first_match,
            &self.ends_start,
            &self.ends,
            self.longest,
            &self.letters,
            &self.pattern_start,
            &self.overlapping,
            &mut counts,
        )
        .over(chunk_start.len())
        .launch(&self.device)?;
        self.device.synchronize()?;
        let took = started.elapsed();
        Ok((counts.download()?, took))
    }
}

const HELP: &str = "\
Counts patterns in files: the matches that grep -a -o -F prints.

usage: scan [--cpu] PATTERN [PATH..]
       scan [--cpu] -e PATTERN [-e PATTERN ..] [PATH..]

  PATTERN       text without a newline
  -e PATTERN    one of several patterns
  PATH          a file, or a folder with all that is in it (.)
  --cpu         computes on the CPU
  --            what follows is no option

exit code: 0 if a pattern was found, 1 if none was, 2 after an error
";

fn main() -> ExitCode {
    command_line::run("scan", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let mut patterns = Vec::new();
    let arguments = Arguments::read_with(parser, |option, parser| match option {
        Arg::Short('e') => {
            patterns.push(parser.value()?.into_encoded_bytes());
            Ok(())
        }
        _ => Err(option.unexpected()),
    })?;
    let mut values = arguments.values.into_iter();
    if patterns.is_empty() {
        let pattern = values
            .next()
            .ok_or("a pattern is missing; scan --help lists the options")?;
        patterns.push(pattern.into_encoded_bytes());
    }
    let mut paths: Vec<PathBuf> = values.map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(PathBuf::from("."));
    }

    let device = support::device(arguments.cpu)?;
    let scanner = Scanner::new(&device, &patterns)?;
    let mut failed = false;
    let progress = progress::bar_of_bytes(0);
    let mut report = |path: &Path, error: &dyn Display| {
        failed = true;
        progress.suspend(|| command_line::tell(format_args!("scan: {}: {error}", path.display())));
    };
    let files = files::files(&paths, &mut report);
    progress.set_length(files::bytes(&files));
    let mut batches = Batches::new(files);
    let mut totals = vec![0u64; patterns.len()];
    let (mut scanned, mut bytes, mut took) = (0, 0, Duration::ZERO);
    // A file is told once its last piece has been counted.
    let mut counted: Option<(PathBuf, Vec<u64>)> = None;
    while let Some(batch) = batches.next(&mut report) {
        let (counts, time) = scanner.count(&batch)?;
        for (piece, (path, counts)) in batch.files.iter().zip(counts.chunks_exact(patterns.len())).enumerate() {
            if piece > 0 || !batch.continues {
                scanned += 1;
                if let Some((path, counts)) = counted.replace((path.clone(), vec![0; patterns.len()])) {
                    progress.suspend(|| tell(out, &path, &patterns, &counts))?;
                }
            }
            let (_, sums) = counted.as_mut().expect("a piece that continues has a predecessor");
            for ((sum, total), &count) in sums.iter_mut().zip(&mut totals).zip(counts) {
                *sum += u64::from(count);
                *total += u64::from(count);
            }
        }
        bytes += batch.text.len();
        progress.inc(batch.text.len() as u64);
        took += time;
    }
    progress.finish_and_clear();
    if let Some((path, counts)) = counted {
        tell(out, &path, &patterns, &counts)?;
    }
    for (pattern, total) in patterns.iter().zip(&totals) {
        command_line::tell(format_args!("{total:>10}  {}", String::from_utf8_lossy(pattern)));
    }
    command_line::tell(format_args!(
        "{scanned} files, {bytes} bytes on {} in {:.3} ms, {:.2} GB/s",
        device.name(),
        took.as_secs_f64() * 1e3,
        bytes as f64 / took.as_secs_f64().max(1e-9) / 1e9
    ));
    let _ = support::explain_cpu(&mut io::stderr(), &device, arguments.cpu);
    Ok(match (failed, totals.iter().any(|&total| total > 0)) {
        (true, _) => ExitCode::from(command_line::FAILURE),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(1),
    })
}

/// Prints the counts of a file. File names and patterns need not be UTF-8.
fn tell(out: &mut dyn Write, path: &Path, patterns: &[Vec<u8>], counts: &[u64]) -> io::Result<()> {
    for (pattern, count) in patterns.iter().zip(counts).filter(|&(_, &count)| count > 0) {
        if patterns.len() > 1 {
            out.write_all(pattern)?;
            out.write_all(b"\t")?;
        }
        out.write_all(path.as_os_str().as_encoded_bytes())?;
        writeln!(out, ":{count}")?;
    }
    Ok(())
}
