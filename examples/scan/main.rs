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
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use vyre::prelude::*;

use automaton::Automaton;
use files::Batch;

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

/// Command line options.
struct Options {
    cpu: bool,
    patterns: Vec<Vec<u8>>,
    paths: Vec<PathBuf>,
}

fn options(arguments: impl Iterator<Item = OsString>) -> Result<Options, String> {
    let mut options = Options {
        cpu: false,
        patterns: Vec::new(),
        paths: Vec::new(),
    };
    let mut rest = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--cpu") => options.cpu = true,
            Some("-e") => options
                .patterns
                .push(arguments.next().ok_or("-e needs a pattern")?.into_encoded_bytes()),
            _ => rest.push(argument),
        }
    }
    let mut rest = rest.into_iter();
    if options.patterns.is_empty() {
        let pattern = rest
            .next()
            .ok_or("usage: scan [--cpu] PATTERN [PATH..], or scan [--cpu] -e PATTERN .. [PATH..]")?;
        options.patterns.push(pattern.into_encoded_bytes());
    }
    options.paths = rest.map(PathBuf::from).collect();
    if options.paths.is_empty() {
        options.paths.push(PathBuf::from("."));
    }
    Ok(options)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options(std::env::args_os().skip(1))?;
    let device = support::device(options.cpu)?;
    let scanner = Scanner::new(&device, &options.patterns)?;

    let mut totals = vec![0u64; options.patterns.len()];
    let (mut files, mut bytes, mut took) = (0, 0, Duration::ZERO);
    for batch in files::batches(files::files(&options.paths)) {
        let (counts, time) = scanner.count(&batch)?;
        for (path, counts) in batch.files.iter().zip(counts.chunks_exact(options.patterns.len())) {
            for ((pattern, total), &count) in options.patterns.iter().zip(&mut totals).zip(counts) {
                if count == 0 {
                    continue;
                }
                *total += u64::from(count);
                if options.patterns.len() > 1 {
                    print!("{}\t", String::from_utf8_lossy(pattern));
                }
                println!("{}:{count}", path.display());
            }
        }
        files += batch.files.len();
        bytes += batch.text.len();
        took += time;
    }
    for (pattern, total) in options.patterns.iter().zip(totals) {
        eprintln!("{total:>10}  {}", String::from_utf8_lossy(pattern));
    }
    eprintln!(
        "{files} files, {bytes} bytes on {} in {:.3} ms, {:.2} GB/s",
        device.name(),
        took.as_secs_f64() * 1e3,
        bytes as f64 / took.as_secs_f64().max(1e-9) / 1e9
    );
    Ok(())
}
