//! Reports about random kernels, each verdict against addresses that are computed here for each lane: sectors of global
//! memory, turns of shared memory, lanes that take a branch. None may be false, and few may be missing.
//!
//! `VYRE_SEEDS=from..to` selects the kernels, `VYRE_LONG` has ten times as many.

mod kernel;

use std::collections::{BTreeMap, BTreeSet};

use vyre_core::CompileOptions;
use vyre_core::report::{AccessReport, BranchReport, Divergence, Pattern, report};
use vyre_core::validate::validate;
use vyre_test_support::case::{on_all_cores, seeds};

use kernel::{Kernel, Numbers, Thread};

/// The lanes that access memory together, by warp.
type Warps = Vec<Vec<Thread>>;

/// How many verdicts there are, and how many the report does not know.
#[derive(Default)]
struct Tally {
    global: [u64; 2],
    shared: [u64; 2],
    branches: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        for (mine, more) in self
            .global
            .iter_mut()
            .chain(&mut self.shared)
            .zip(other.global.iter().chain(&other.shared))
        {
            *mine += more;
        }
        self.branches += other.branches;
    }
}

/// The lanes of each warp of a block for which the condition of a kernel holds.
fn warps(kernel: &Kernel) -> Warps {
    let all: Vec<Thread> = kernel.threads().collect();
    let warps = all.chunks(32).map(|lanes| {
        let takes = |thread: &&Thread| kernel.condition.is_none() || kernel.takes(**thread);
        lanes.iter().filter(takes).copied().collect()
    });
    warps.filter(|lanes: &Vec<Thread>| !lanes.is_empty()).collect()
}

/// The byte addresses of the lanes, if no index is too large: where the first lane of a warp accesses a multiple of 32
/// bytes without what the block, the loop and the argument add.
fn addresses(kernel: &Kernel, index: &kernel::Expression, lanes: &[Thread]) -> Option<Vec<u64>> {
    let at = |numbers: &Numbers| -> Option<Vec<u64>> {
        lanes
            .iter()
            .map(|&thread| index.value(thread, numbers)?.checked_mul(kernel.bytes))
            .collect()
    };
    let (known, all) = (at(&Numbers::ZERO)?, at(&Numbers::ANY)?);
    let first = known.into_iter().min()?;
    all.into_iter().map(|address| address.checked_sub(first)).collect()
}

/// The sectors of 32 bytes that accesses touch.
fn sectors(addresses: &[u64], bytes: u64) -> u32 {
    let bytes = addresses.iter().flat_map(|&address| address..address + bytes);
    bytes.map(|byte| byte / 32).collect::<BTreeSet<u64>>().len() as u32
}

/// The most words that lanes which are served together want of one bank. Half warps are served by accesses of 8 bytes.
fn turns(lanes: &[(usize, u64)], bytes: u64) -> u32 {
    let mut most = 1;
    for half in 0..2 {
        let mut banks: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for &(_, address) in lanes.iter().filter(|(lane, _)| bytes < 8 || lane / 16 == half) {
            for byte in address..address + bytes {
                banks.entry(byte / 4 % 32).or_default().insert(byte / 4);
            }
        }
        most = banks.values().map(|words| words.len() as u32).fold(most, u32::max);
    }
    most
}

fn is_one(addresses: &[u64]) -> bool {
    addresses.iter().all(|address| *address == addresses[0])
}

/// Holds the verdict about the access to global memory against the addresses.
fn global(kernel: &Kernel, access: &AccessReport, warps: &Warps, tally: &mut Tally) -> Result<(), String> {
    let all: Option<Vec<Vec<u64>>> = warps
        .iter()
        .map(|lanes| addresses(kernel, &kernel.global, lanes))
        .collect();
    let Some(all) = all else { return Ok(()) };
    let counts = all.iter().map(|lanes| sectors(lanes, kernel.bytes));
    let most = counts.max().unwrap_or(0);
    let uniform = all.iter().all(|lanes| is_one(lanes));
    tally.global[0] += 1;
    let touched = match &access.pattern {
        Pattern::Uniform if uniform => return Ok(()),
        Pattern::Scattered { by_data: false } => {
            tally.global[1] += 1;
            return Ok(());
        }
        Pattern::Strided {
            bytes,
            times: None,
            sectors,
        } => {
            let steps = |(lanes, warp): (&Vec<u64>, &Vec<Thread>)| {
                let pairs = lanes.windows(2).zip(warp.windows(2));
                let mut steps = pairs.map(|(at, of)| {
                    let lanes = (of[1].index - of[0].index) as i64;
                    (at[1] as i64 - at[0] as i64, lanes * bytes)
                });
                lanes.len() > 1 && steps.all(|(step, wanted)| step == wanted)
            };
            if !all.iter().zip(warps).any(steps) {
                return Err(format!("no warp has a stride of {bytes}"));
            }
            sectors
        }
        Pattern::Coalesced { sectors } | Pattern::Strided { sectors, .. } | Pattern::Irregular { sectors } => sectors,
        other => return Err(format!("{other:?}, of {most} sectors")),
    };
    match *touched == most && !uniform {
        true => Ok(()),
        false => Err(format!("{:?}, of {most} sectors", access.pattern)),
    }
}

/// Holds the verdict about the access to shared memory against the addresses.
fn shared(kernel: &Kernel, access: &AccessReport, warps: &Warps, tally: &mut Tally) -> Result<(), String> {
    let mut most = 1;
    let mut uniform = true;
    for lanes in warps {
        let Some(addresses) = addresses(kernel, &kernel.shared, lanes) else {
            return Ok(());
        };
        uniform &= is_one(&addresses);
        let of_lane: Vec<(usize, u64)> = lanes.iter().map(|lane| lane.index % 32).zip(addresses).collect();
        most = most.max(turns(&of_lane, kernel.bytes));
    }
    tally.shared[0] += 1;
    match access.pattern {
        Pattern::Uniform if uniform => Ok(()),
        Pattern::Banks { degree, .. } if degree == most && !uniform => Ok(()),
        Pattern::UnknownBanks { by_data: false } => {
            tally.shared[1] += 1;
            Ok(())
        }
        _ => Err(format!("{:?}, of {most} turns", access.pattern)),
    }
}

/// Holds the verdict about the branch against the lanes that take it.
fn branch(kernel: &Kernel, report: Option<&BranchReport>) -> Result<(), String> {
    let all: Vec<Thread> = kernel.threads().collect();
    let splits = all.chunks(32).map(|lanes| {
        let taken = lanes.iter().filter(|thread| kernel.takes(**thread)).count();
        taken.min(lanes.len() - taken)
    });
    let most = splits.max().unwrap_or(0) as u32;
    match report.map(|report| report.divergence) {
        None if most == 0 => Ok(()),
        Some(Divergence::Lanes { taken, of }) if taken.min(of - taken) == most && most > 0 => Ok(()),
        other => Err(format!("{other:?}, of {most} lanes on the smaller side")),
    }
}

fn run(seed: u64, tally: &mut Tally) {
    let kernel = kernel::random(seed);
    let source = kernel.source();
    let file = std::env::temp_dir().join(format!("vyre-report-{}-{seed}.rs", std::process::id()));
    std::fs::write(&file, &source).expect("the temporary folder can be written");
    let inspected = vyre_build::inspect(&file);
    let _ = std::fs::remove_file(&file);
    let inspected = inspected.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{source}"));
    let valid = validate(&inspected[0].program).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{source}"));
    let reports = report(&valid, &CompileOptions::default()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let warps = warps(&kernel);
    let of = |name: &str| {
        let mut accesses = reports[0].accesses.iter();
        accesses.find(|access| access.name == name && access.kind == "load")
    };
    let check = |verdict: Result<(), String>, what: &str| {
        verdict.unwrap_or_else(|reason| panic!("seed {seed}: {what}: {reason}\n{source}"));
    };
    // An access that no thread comes to, or that faults in all threads, is not listed.
    if let Some(access) = of("x") {
        check(global(&kernel, access, &warps, tally), "global");
    }
    if let Some(access) = of("tile") {
        check(shared(&kernel, access, &warps, tally), "shared");
    }
    if kernel.condition.is_some() && of("x").is_some() {
        let line = 1 + source.lines().take_while(|line| !line.contains("if ")).count() as u32;
        let found = reports[0].branches.iter().find(|branch| branch.span.line == line);
        check(branch(&kernel, found), "branch");
        tally.branches += 1;
    }
}

#[test]
fn verdicts_are_those_of_the_addresses() {
    let seeds = seeds(0..1_500);
    let count = seeds.end - seeds.start;
    let Tally {
        global,
        shared,
        branches,
    } = on_all_cores(seeds, run, Tally::add);
    println!(
        "{count} kernels: global accesses {global:?}, shared accesses {shared:?}, of which not known; {branches} branches"
    );
    if count >= 1_500 {
        for [all, unknown] in [global, shared] {
            assert!(
                all > count / 2 && unknown * 20 <= all,
                "{unknown} of {all} are not known"
            );
        }
        assert!(branches > count / 4, "{branches} branches of {count} kernels");
    }
}
