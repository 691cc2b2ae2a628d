//! The output of a kernel, and the verdicts that it confirms or refutes.

use std::collections::{HashMap, HashSet};
use std::fmt;

use vyre_core::inspect::{Stage, Thread, Verdict};

use crate::kernel::Kernel;

/// One line of output: which thread had which value, in which iterations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    site: u32,
    thread: [u32; 3],
    block: [u32; 3],
    trips: [u64; 2],
    value: u64,
}

pub(crate) fn records(output: &str) -> Vec<Record> {
    let parse = |line: &str| {
        let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
        let word = |at: usize| numbers[at] as u32;
        Record {
            site: word(0),
            thread: [word(1), word(2), word(3)],
            block: [word(4), word(5), word(6)],
            trips: [numbers[7], numbers[8]],
            value: numbers[9],
        }
    };
    output.lines().map(parse).collect()
}

/// The indices of a block and of a thread in it.
type Place = ([u32; 3], [u32; 3]);

/// A kind of facts: how many are true, and of those how many are proven.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    all: u64,
    proven: u64,
}

/// The kinds of facts, and the least share of the true ones that is proven, in percent.
const KINDS: [(&str, f64); 9] = [
    ("injective", 78.0),
    ("apart", 16.5),
    ("uniform in a block", 80.5),
    ("uniform in a warp", 80.5),
    ("exact", 95.0),
    // The least and the greatest number; half of it is near enough.
    ("least", 62.0),
    ("most", 22.5),
    // Sums that can be evaluated.
    ("sums", 89.5),
    // Values below an argument.
    ("below", 0.05),
];

/// The places of the kinds.
const INJECTIVE: usize = 0;
const APART: usize = 1;
const BLOCK: usize = 2;
const WARP: usize = 3;
const EXACT: usize = 4;
const MINIMUM: usize = 5;
const MAXIMUM: usize = 6;
const SUMS: usize = 7;
const BELOW: usize = 8;

/// The shares of all facts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    shares: [Share; KINDS.len()],
}

impl Share {
    fn percent(self) -> f64 {
        100.0 * self.proven as f64 / self.all.max(1) as f64
    }
}

impl Tally {
    fn count(&mut self, kind: usize, is_true: bool, is_proven: bool) {
        self.shares[kind].all += u64::from(is_true);
        self.shares[kind].proven += u64::from(is_true && is_proven);
    }

    pub(crate) fn add(&mut self, other: &Tally) {
        for (share, more) in self.shares.iter_mut().zip(other.shares) {
            share.all += more.all;
            share.proven += more.proven;
        }
    }

    /// Fails if a share has fallen, by more than so many percent.
    pub(crate) fn at_least(&self, slack: f64) {
        for (share, (name, percent)) in self.shares.into_iter().zip(KINDS) {
            assert!(
                share.percent() + slack >= percent,
                "{name}: {:.1} % are proven",
                share.percent()
            );
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (share, (name, _)) in self.shares.into_iter().zip(KINDS) {
            write!(
                f,
                "{name} {} of {} ({:.1} %), ",
                share.proven,
                share.all,
                share.percent()
            )?;
        }
        f.write_str("none false")
    }
}

/// Holds the verdicts of a stage against what was printed. `has_loops` is true if the loops are those of the source.
pub(crate) fn hold(kernel: &Kernel, stage: &Stage<'_>, has_loops: bool, records: &[Record], tally: &mut Tally) {
    let verdicts = stage.verdicts(kernel.grid);
    let all: Vec<Verdict> = verdicts.all().collect();
    // Copies of a statement are asked in the first stage alone.
    let of: Vec<Vec<Record>> = all
        .iter()
        .map(|verdict| {
            records
                .iter()
                .filter(|record| record.site == verdict.site)
                .copied()
                .collect()
        })
        .collect();
    let copied = |verdict: &Verdict| all.iter().filter(|other| other.site == verdict.site).count() > 1;
    let mut arguments = vec![None];
    arguments.extend(kernel.scalars.iter().map(|&(_, bits)| Some(bits)));
    let fail = |what: &str, verdict: &Verdict| {
        panic!(
            "seed {}, site {}, {}: {what} is false: {verdict:?}\n{}\n{}\n{}",
            kernel.seed,
            verdict.site,
            stage.name,
            kernel.text,
            stage.text(),
            stage.facts()
        )
    };
    let loops = ["i0: ", "i1: "]
        .into_iter()
        .filter(|name| has_loops && kernel.text.contains(name))
        .count();
    for (at, (verdict, records)) in all.iter().zip(&of).enumerate() {
        if records.is_empty() || copied(verdict) {
            continue;
        }
        let mut evaluated = false;
        let mut fits = true;
        for record in records {
            if record.value < verdict.least || record.value > verdict.most {
                fail("a bound", verdict);
            }
            let thread = Thread {
                thread: record.thread,
                block: record.block,
                grid: kernel.grid,
                arguments: &arguments,
                trips: &record.trips[..loops],
            };
            if let Some((value, number)) = verdicts.evaluate(*verdict, &thread) {
                evaluated = true;
                fits &= i128::from(record.value) == number;
                if value != record.value {
                    fail("a sum", verdict);
                }
                if verdict.is_exact && i128::from(value) != number {
                    fail("an exact sum", verdict);
                }
            }
        }
        for (number, &argument) in arguments.iter().enumerate() {
            if let Some(argument) = argument {
                let is_below = records.iter().all(|record| record.value < argument);
                let proven = verdicts.is_below(at, number as u32);
                if proven && !is_below {
                    fail("an order", verdict);
                }
                tally.count(BELOW, is_below, proven);
            }
        }
        tally.count(SUMS, true, evaluated);
        if evaluated {
            tally.count(EXACT, fits, verdict.is_exact);
        }
        tally.count(
            MINIMUM,
            true,
            records.iter().any(|record| record.value == verdict.least),
        );
        let most = records.iter().map(|record| record.value).max().unwrap_or(0);
        tally.count(MAXIMUM, true, verdict.most < u64::MAX && verdict.most / 2 <= most);
        let uniform = |group: &dyn Fn(&Record) -> u32| {
            let mut seen = HashMap::new();
            records.iter().all(|record| {
                let key = (record.block, group(record), record.trips);
                *seen.entry(key).or_insert(record.value) == record.value
            })
        };
        let [x, y, _] = kernel.block;
        let warp = |record: &Record| {
            let [i, j, k] = record.thread;
            ((k * y + j) * x + i) / 32
        };
        for (is_uniform, proven, kind) in [
            (uniform(&|_| 0), verdict.uniform_in_block, BLOCK),
            (uniform(&warp), verdict.uniform_in_warp, WARP),
        ] {
            if proven && !is_uniform {
                fail("uniformity", verdict);
            }
            tally.count(kind, is_uniform, proven);
        }
        let is_injective = apart(records, records);
        if verdict.is_injective && !is_injective {
            fail("injectivity", verdict);
        }
        tally.count(INJECTIVE, is_injective, verdict.is_injective);
    }
    for (one, a) in all.iter().enumerate() {
        for (other, b) in all.iter().enumerate().skip(one + 1) {
            if of[one].is_empty() || of[other].is_empty() || copied(a) || copied(b) {
                continue;
            }
            let are_apart = apart(&of[one], &of[other]);
            let proven = verdicts.are_apart(one, other);
            if proven && !are_apart {
                fail("distance", a);
            }
            tally.count(APART, are_apart, proven);
        }
    }
}

/// True if no two threads have the same value, one in the first list and the other one in the second.
fn apart(one: &[Record], other: &[Record]) -> bool {
    let mut owners: HashMap<u64, HashSet<Place>> = HashMap::new();
    for record in one {
        owners
            .entry(record.value)
            .or_default()
            .insert((record.block, record.thread));
    }
    other.iter().all(|record| {
        let own = (record.block, record.thread);
        owners
            .get(&record.value)
            .is_none_or(|threads| threads.iter().all(|&thread| thread == own))
    })
}
