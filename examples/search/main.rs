//! Finds the words whose vectors are nearest to that of a word.
//!
//! ```text
//! cargo run --release --example search -- [--cpu] [-n COUNT] [--vectors FILE] [WORD..]
//! ```
//!
//! The file is one of GloVe or word2vec, as text; that of the repository has the words of vyre's book. Without a word, all
//! words are looked up, and the nearest pairs are printed. The device compares each query with all vectors; an index on
//! the CPU looks at some of them, and must find the same words in the same order.
#![allow(unreachable_pub, reason = "a program has no outside")]

pub mod index;
pub mod kernels;
#[path = "../support/mod.rs"]
mod support;
pub mod vectors;

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use lexopt::{Arg, Parser, ValueExt};
use rayon::prelude::*;
use vyre::prelude::*;

use index::Index;
use support::command_line::{self, Arguments, number};
use support::progress;
use vectors::Vectors;

/// Scores that are kept on the device at a time.
const SCORES: usize = 1 << 26;

/// Vectors on a device.
pub struct Searcher {
    device: Device,
    rows: usize,
    dimensions: usize,
    vectors: DeviceBuffer<f32>,
}

impl Searcher {
    /// Uploads vectors.
    pub fn new(device: &Device, vectors: &Vectors) -> vyre::Result<Searcher> {
        Ok(Searcher {
            device: device.clone(),
            rows: vectors.words.len(),
            dimensions: vectors.dimensions,
            vectors: device.upload(&vectors.values)?,
        })
    }

    /// For each query the best `count` rows but its own, the best one first. `count` is less than the number of rows.
    pub fn nearest(&self, queries: &[u32], count: usize, progress: &ProgressBar) -> vyre::Result<Vec<Vec<u32>>> {
        let mut nearest = Vec::with_capacity(queries.len());
        for queries in queries.chunks((SCORES / self.rows).clamp(1, 1 << 15)) {
            let on_device = self.device.upload(queries)?;
            let mut scores = self.device.zeros(queries.len() * self.rows)?;
            let mut found = self.device.zeros(queries.len() * count)?;
            kernels::score(
                self.vectors.view2(self.rows, self.dimensions)?,
                &on_device,
                scores.view2_mut(queries.len(), self.rows)?,
            )
            .over([self.rows, queries.len()])
            .launch(&self.device)?;
            kernels::best(
                scores.view2(queries.len(), self.rows)?,
                &on_device,
                found.view2_mut(queries.len(), count)?,
            )
            .grid(queries.len() as u32)
            .launch(&self.device)?;
            nearest.extend(found.download()?.chunks(count).map(<[u32]>::to_vec));
            progress.inc(queries.len() as u64);
        }
        Ok(nearest)
    }
}

const HELP: &str = "\
Finds the words whose vectors are nearest to that of a word.

usage: search [--cpu] [-n COUNT] [--vectors FILE] [WORD..]

  WORD             a word of the file; without one, prints the nearest pairs of all words
  -n COUNT         how many words to find (8)
  --vectors FILE   words with their vectors, as GloVe and word2vec write them (examples/data/words.vec)
  --cpu            computes on the CPU
";

fn main() -> ExitCode {
    command_line::run("search", HELP, program)
}

fn program(parser: &mut Parser, out: &mut dyn Write) -> command_line::Result<ExitCode> {
    let (mut count, mut file) = (8usize, "examples/data/words.vec".into());
    let arguments = Arguments::read_with(parser, |option, parser| {
        match option {
            Arg::Short('n') => count = parser.value()?.parse_with(number("-n", 1..=1 << 31))?,
            Arg::Long("vectors") => file = parser.value()?,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?;
    let vectors = Vectors::read(file.as_ref())?;
    let rows = vectors.words.len();
    if !(1..rows.min(1 << 31)).contains(&count) {
        return Err(format!("there are no {count} other words among {rows}").into());
    }
    let queries = arguments
        .values
        .iter()
        .map(|word| {
            let row = vectors.words.iter().position(|known| word == known.as_str());
            let row = row.ok_or_else(|| command_line::at(file.as_ref())(&format!("has no word {word:?}")))?;
            Ok(row as u32)
        })
        .collect::<command_line::Result<Vec<u32>>>()?;
    let all = queries.is_empty();
    let queries = if all { (0..rows as u32).collect() } else { queries };

    let device = support::device(arguments.cpu)?;
    let searcher = Searcher::new(&device, &vectors)?;
    // The first launch loads the kernels.
    searcher.nearest(&queries[..1], count, &ProgressBar::hidden())?;
    let progress = progress::bar("query", queries.len() as u64);
    let started = Instant::now();
    let found = searcher.nearest(&queries, count, &progress)?;
    let took = started.elapsed();
    progress.finish_and_clear();
    let progress = progress::bar("vector of the index", rows as u64);
    let started = Instant::now();
    let index = Index::new(&vectors, &progress);
    let built = started.elapsed();
    progress.finish_and_clear();
    let progress = progress::bar("query", queries.len() as u64);
    let started = Instant::now();
    let (expected, visits): (Vec<Vec<u32>>, Vec<usize>) = queries
        .par_iter()
        .map(|&query| index.nearest(query, count))
        .inspect(|_| progress.inc(1))
        .unzip();
    let index_took = started.elapsed();
    progress.finish_and_clear();

    if all {
        pairs(out, &vectors, &found)?;
    } else {
        for (&query, found) in queries.iter().zip(&found) {
            writeln!(out, "{}", vectors.words[query as usize])?;
            for &row in found {
                writeln!(
                    out,
                    "{:>8.3}  {}",
                    vectors.score(query, row),
                    vectors.words[row as usize]
                )?;
            }
        }
    }
    let ms = |took: Duration| took.as_secs_f64() * 1e3;
    writeln!(
        out,
        "\n{} queries, {rows} vectors of {} numbers",
        queries.len(),
        vectors.dimensions
    )?;
    writeln!(out, "{:>9.3} ms on {}", ms(took), device.name())?;
    writeln!(
        out,
        "{:>9.3} ms by an index on {} threads, which looks at {:.0} % of the vectors; {:.3} ms to build",
        ms(index_took),
        rayon::current_num_threads(),
        100.0 * visits.iter().sum::<usize>() as f64 / (rows * queries.len()) as f64,
        ms(built)
    )?;
    support::explain_cpu(out, &device, arguments.cpu)?;
    if found != expected {
        return Err("the device has found other words than the index".into());
    }
    writeln!(out, "the device and the index have found the same words")?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the ten words that have the nearest neighbours.
fn pairs(out: &mut dyn Write, vectors: &Vectors, found: &[Vec<u32>]) -> command_line::Result<()> {
    let mut pairs: Vec<(f32, u32, u32)> = (0..)
        .zip(found)
        .map(|(row, found)| (vectors.score(row, found[0]), row.min(found[0]), row.max(found[0])))
        .collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    pairs.dedup();
    for (score, a, b) in pairs.into_iter().take(10) {
        writeln!(
            out,
            "{score:>8.3}  {} {}",
            vectors.words[a as usize], vectors.words[b as usize]
        )?;
    }
    Ok(())
}
