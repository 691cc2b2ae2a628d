//! `--time-passes`: how long each phase and pass takes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use vyre_core::inspect::{Observer, Stage, compile_observed};

use crate::Result;
use crate::source::Unit;

/// Adds up the time between stages.
struct Clock {
    since: Instant,
    /// For each stage how often it has run, its time, and when it ran first.
    stages: BTreeMap<&'static str, Total>,
}

#[derive(Default)]
struct Total {
    runs: u32,
    time: Duration,
    order: usize,
}

impl Observer for Clock {
    fn passed(&mut self, stage: &Stage<'_>) {
        let order = self.stages.len();
        let total = self.stages.entry(stage.name).or_insert_with(|| Total {
            order,
            ..Total::default()
        });
        total.runs += 1;
        total.time += self.since.elapsed();
        self.since = Instant::now();
    }
}

/// A table of the phases in the order of their first runs.
pub(super) fn show(unit: &Unit) -> Result<String> {
    let started = Instant::now();
    let valid = unit.validated()?;
    let validate = started.elapsed();
    let started = Instant::now();
    let mut clock = Clock {
        since: started,
        stages: BTreeMap::new(),
    };
    let module = compile_observed(&valid, &unit.options, &mut clock).map_err(|error| error.to_string())?;
    let compile = started.elapsed();
    let mut stages: Vec<_> = clock.stages.iter().collect();
    stages.sort_by_key(|(_, total)| total.order);
    let total = unit.front_time + validate + compile;
    let mut out = format!("{:<20} {:>5} {:>10} {:>6}\n", "phase", "runs", "us", "%");
    let mut row = |name: &str, runs: u32, time: Duration| {
        let share = 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
        let _ = writeln!(
            out,
            "{name:<20} {runs:>5} {:>10.1} {share:>6.1}",
            time.as_secs_f64() * 1e6
        );
    };
    row("front", 1, unit.front_time);
    row("validate", 1, validate);
    for (name, total) in stages {
        row(name, total.runs, total.time);
    }
    row("total", 1, total);
    let instructions: u32 = module.kernels.iter().flat_map(|kernel| &kernel.instructions).sum();
    let profile = if cfg!(debug_assertions) {
        "not optimised, as in a macro of a dev build"
    } else {
        "optimised"
    };
    let _ = writeln!(out, "{instructions} instructions of PTX; this tool is {profile}");
    Ok(out)
}
