//! Verdicts about races of random kernels, each against the recorder of checking mode: no access that is proven may take part
//! in a race, and no barrier may be missed that all threads are proven to reach; a kernel that denies races has none in a
//! launch that keeps its conditions. At least as large
//! a share of the accesses without a race must be proven as before.
//!
//! `VYRE_SEEDS=from..to` selects the kernels, `VYRE_LONG` has 100,000.

mod kernel;

use std::collections::{HashMap, HashSet};
use std::fmt;

use vyre_abi::assumption::{Source, holds};
use vyre_core::inspect::{Finding, Launch, Need, Observer, SIMPLIFIED, Safety, Stage, Symbol, compile_observed};
use vyre_core::interp::check::{Action, Check, Does, Kind};
use vyre_core::interp::{Argument, Error, Options, Printed, launch_checked};
use vyre_core::ir::{Constant, Scalar};
use vyre_core::text::parse;
use vyre_core::validate::{Validated, validate};
use vyre_core::{CompileError, CompileOptions, compile};
use vyre_test_support::case::{VERIFIED, is_long, on_all_cores, seeds};

use kernel::{Kernel, LENGTH, kernel};

/// The kernels of an ordinary run.
const SEEDS: u64 = 2_000;
/// The least share of the accesses without a race that are proven, or proven under conditions that hold, in percent.
const PROVEN: f64 = 48.0;

/// The results of the kernels.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Kernels that ended without a fault.
    kernels: u64,
    /// Those without a race.
    free: u64,
    /// Those among these whose accesses are all proven.
    free_proven: u64,
    /// Accesses that took part in no race, and how many of them are proven.
    accesses: u64,
    proven: u64,
    /// Those that are proven under conditions that the launch keeps.
    asked: u64,
    /// Accesses with a race.
    racing: u64,
    /// Kernels that compile where races are denied, and whose conditions hold.
    denied: u64,
    /// Necessary conditions that a launch breaks.
    broken: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.kernels += other.kernels;
        self.free += other.free;
        self.free_proven += other.free_proven;
        self.accesses += other.accesses;
        self.proven += other.proven;
        self.asked += other.asked;
        self.racing += other.racing;
        self.denied += other.denied;
        self.broken += other.broken;
    }

    fn share(&self) -> f64 {
        100.0 * (self.proven + self.asked) as f64 / self.accesses.max(1) as f64
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} kernels without fault, {} of them without race, {} of these proven; of {} accesses without race {} proven and \
             {} under conditions that hold ({:.1} %); {} accesses race; {} kernels may deny races; {} necessary conditions are broken; none false",
            self.kernels,
            self.free,
            self.free_proven,
            self.accesses,
            self.proven,
            self.asked,
            self.share(),
            self.racing,
            self.denied,
            self.broken
        )
    }
}

/// Asks for the verdicts.
struct Watch {
    grid: [u32; 3],
    /// Those for any grid, and for that of the launch.
    found: Option<[Vec<Finding>; 2]>,
    text: String,
}

impl Observer for Watch {
    fn passed(&mut self, stage: &Stage<'_>) {
        if stage.name == SIMPLIFIED && self.found.is_none() {
            let grids = [None, Some(self.grid)];
            self.found = Some(grids.map(|grid| {
                stage.races(Launch {
                    dimensions: 3,
                    grid,
                    files: &[],
                    apart: &[],
                })
            }));
            self.text = stage.text();
        }
    }
}

fn run(seed: u64, tally: &mut Tally) {
    let kernel = kernel(seed);
    let text = &kernel.text;
    let program = parse(text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let valid = validate(&program).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{text}"));
    let mut watch = Watch {
        grid: kernel.grid,
        found: None,
        text: String::new(),
    };
    compile_observed(&valid, &VERIFIED, &mut watch).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let [any, findings] = watch.found.unwrap_or_default();

    let run = parse(&kernel.run).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", kernel.run));
    let run_valid = validate(&run).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{}", kernel.run));
    let mut out = vec![0u8; 4 * LENGTH as usize];
    let mut sink = vec![0u8; 4 * kernel.threads as usize];
    let mut next: Vec<u8> = kernel.counters.iter().flat_map(|it| it.to_le_bytes()).collect();
    let mut arguments = [
        Argument::Slice(&mut out),
        Argument::Slice(&mut sink),
        Argument::Scalar(Constant::new(Scalar::U32, kernel.scalars[0])),
        Argument::Scalar(Constant::new(Scalar::U64, kernel.scalars[1])),
        Argument::Slice(&mut next),
        Argument::Length(0),
    ];
    let entry = run.kernel("k").expect("the program has a kernel");
    let options = Options {
        step_limit: 1 << 22,
        ..Options::default()
    };
    let mut printed = Printed::default();
    let checked = launch_checked(
        &run_valid,
        entry,
        &mut arguments,
        kernel.grid,
        options,
        &Check::default(),
        &mut printed,
    );
    // Duties end with a fault.
    if matches!(checked.outcome, Err(Error::Fault(_))) {
        return;
    }
    let is_denied = allows(&kernel, &valid);
    let mut racing: HashSet<(u32, &str)> = HashSet::new();
    let mut missed: Vec<Vec<u32>> = Vec::new();
    for report in &checked.reports {
        for party in &report.parties {
            match (report.kind, &party.does) {
                (Kind::Race | Kind::MixedRace, Does::Access(Action::Read)) => {
                    racing.insert((party.line, "load"));
                }
                (Kind::Race | Kind::MixedRace, Does::Access(Action::Write)) => {
                    racing.insert((party.line, "store"));
                }
                _ => {}
            }
        }
        // Where threads wait at several barriers, one of them is not reached by all.
        if matches!(report.kind, Kind::Skipped | Kind::Divergence) {
            let barriers = report.parties.iter().filter(|party| party.does == Does::Barrier);
            missed.push(barriers.map(|party| party.line).collect());
        }
    }
    // A barrier does not wait for threads that have returned, which checking mode tells from those that have ended otherwise.
    let is_left = |line: &u32| {
        let mut barriers = findings
            .iter()
            .filter(|it| it.kind == "barrier" && it.span.line == *line);
        barriers.any(|barrier| barrier.after_return)
    };
    missed.retain(|barriers| !barriers.iter().any(is_left));
    let fail = |what: &str, finding: &Finding| {
        panic!(
            "seed {seed}: {what}: {finding:?}\n{text}\n{}\ngrid {:?}, scalars {:?}\n{:#?}",
            watch.text, kernel.grid, kernel.scalars, checked.reports
        )
    };
    if is_denied && !(racing.is_empty() && missed.is_empty()) {
        panic!(
            "seed {seed}: a kernel races that denies races\n{text}\ngrid {:?}, scalars {:?}\n{:#?}",
            kernel.grid, kernel.scalars, checked.reports
        );
    }
    tally.denied += u64::from(is_denied);
    // The accesses of one place, as the inlined copies of one.
    let mut places: HashMap<(u32, &str), Held> = HashMap::new();
    for finding in &any {
        let place = (finding.span.line, finding.kind);
        if held(&kernel, &finding.safety) != Held::Unknown && racing.contains(&place) {
            fail("an access races that is proven for any grid", finding);
        }
    }
    for finding in &findings {
        if finding.kind == "barrier" {
            continue;
        }
        let place = (finding.span.line, finding.kind);
        let held = held(&kernel, &finding.safety);
        if held != Held::Unknown && racing.contains(&place) {
            fail("an access races that is proven", finding);
        }
        let worst = places.entry(place).or_insert(held);
        *worst = (*worst).max(held);
    }
    for barriers in missed.iter().filter(|barriers| !barriers.is_empty()) {
        let is_unknown = |line: &u32| {
            let here = |finding: &&Finding| finding.kind == "barrier" && finding.span.line == *line;
            findings
                .iter()
                .filter(here)
                .any(|finding| finding.safety != Safety::Proven)
        };
        if !barriers.iter().any(is_unknown) {
            panic!(
                "seed {seed}: proven barriers {barriers:?} are missed\n{text}\n{:#?}",
                checked.reports
            );
        }
    }
    if checked.outcome.is_err() {
        return;
    }
    for finding in &any {
        let needs = match &finding.safety {
            Safety::Asks(needs) | Safety::Unfollowed(_, needs) => &needs[..],
            Safety::Proven | Safety::Unknown(_) => &[],
        };
        // A grid of one block is what a kernel needs to compile, not what every launch needs.
        let is_broken = |need: &&Need| {
            let is_of_data = !need.right.iter().all(|product| product.symbols.is_empty());
            need.is_necessary && is_of_data && need.holds(&|symbol| number(&kernel, symbol)) == Some(false)
        };
        let broken = needs.iter().filter(is_broken).count();
        if broken > 0 && !racing.contains(&(finding.span.line, finding.kind)) {
            fail("a launch breaks a necessary condition and does not race", finding);
        }
        tally.broken += broken as u64;
    }
    tally.kernels += 1;
    if racing.is_empty() {
        tally.free += 1;
        tally.free_proven += u64::from(places.values().all(|held| *held != Held::Unknown));
    }
    for (place, held) in places {
        if racing.contains(&place) {
            tally.racing += 1;
            continue;
        }
        tally.accesses += 1;
        match held {
            Held::Proven => tally.proven += 1,
            Held::Asked => tally.asked += 1,
            Held::Unknown => {}
        }
    }
}

/// True if the kernel compiles where races are denied, and the launch keeps its conditions.
fn allows(kernel: &Kernel, valid: &Validated<'_>) -> bool {
    let options = CompileOptions {
        deny_races: true,
        ..VERIFIED
    };
    let module = match compile(valid, &options) {
        Ok(module) => module,
        Err(CompileError::Races { .. }) => return false,
        Err(error) => panic!("{error}\n{}", kernel.text),
    };
    let compiled = &module.kernels[0];
    let definition = &valid.program().kernels[compiled.kernel];
    compiled.conditions.iter().all(|condition| {
        holds(&condition.code(valid.program(), definition), |source| match source {
            Source::Argument { pointer: 1, .. } => LENGTH,
            Source::Argument { pointer: 3, .. } => kernel.threads.into(),
            Source::Argument { pointer: 4, .. } => kernel.scalars[0],
            Source::Argument { pointer: 5, .. } => kernel.scalars[1],
            // Both views of the counters.
            Source::Argument { pointer: 7 | 9, .. } => kernel.counters.len() as u64,
            Source::Grid(axis) => kernel.grid[axis].into(),
            other => panic!("{other:?} is not known"),
        })
    })
}

/// A verdict, for the launch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    Proven,
    /// The conditions hold.
    Asked,
    Unknown,
}

/// The number of a symbol in the launch.
fn number(kernel: &Kernel, symbol: Symbol) -> Option<u64> {
    match symbol {
        Symbol::Argument { parameter: 2, .. } => Some(kernel.scalars[0]),
        Symbol::Argument { parameter: 3, .. } => Some(kernel.scalars[1]),
        Symbol::Argument { parameter: 0, .. } => Some(LENGTH),
        Symbol::Argument { parameter: 1, .. } => Some(kernel.threads.into()),
        Symbol::Argument { parameter: 4 | 5, .. } => Some(kernel.counters.len() as u64),
        Symbol::Grid(axis) => Some(kernel.grid[axis as usize].into()),
        _ => None,
    }
}

fn held(kernel: &Kernel, safety: &Safety) -> Held {
    let value = |symbol: Symbol| number(kernel, symbol);
    match safety {
        Safety::Proven => Held::Proven,
        Safety::Asks(needs) if needs.iter().all(|need| need.holds(&value) == Some(true)) => Held::Asked,
        _ => Held::Unknown,
    }
}

#[test]
fn proven_accesses_do_not_race() {
    let seeds = seeds(0..if is_long() { 10_000 } else { SEEDS });
    let count = seeds.end - seeds.start;
    let tally = on_all_cores(seeds, run, Tally::add);
    println!("{count} kernels: {tally}");
    // Few kernels have another share.
    if count >= SEEDS {
        assert!(tally.share() >= PROVEN, "{tally}");
    }
}
