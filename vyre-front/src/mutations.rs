//! Mutations of every kernel in the repository: any input in place of a kernel is compiled, left to
//! rustc, or refused with a valid diagnostic.
//!
//! Each mutation is checked: nothing panics or takes long; no error is an internal bug; each has a
//! code, help, and a location in the tokens, and is reported once; an accepted kernel is valid,
//! survives a round trip through its text form, has PTX, and its generated tokens are Rust, which is printed.
//!
//! The mutations of a kernel depend on its text and hardly on the rest of the corpus, so a new
//! kernel adds its own mutations and leaves most others unchanged.
//!
//! `VYRE_FUZZ_ROUNDS` sets the number of mutations, `VYRE_SEED` selects them, `VYRE_FUZZ_SKIP`
//! skips the first ones, and `VYRE_MUTANTS` names a folder for the sources: `m` and a number for each accepted one, `l` for
//! each that is left to rustc, and the last one, which identifies the cause of a stack overflow.

mod corpus;
mod found;
mod judge;
mod mutate;

use std::collections::BTreeMap;
use std::time::Duration;

use corpus::Unit;
use judge::Judged;
use mutate::{Pool, Random, hash};
use vyre_test_support::case::is_long;

/// Mutations of each kernel, of which every second one is judged, and those of a long test.
const ROUNDS: [u64; 2] = [1, 12];

/// A number that a variable of the environment gives.
fn variable(name: &str, otherwise: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

/// A mutation of a kernel. Most can be read: of others rustc speaks.
fn mutant(unit: &Unit, pool: &Pool, random: &mut Random) -> Unit {
    let mut changed = change(unit, pool, random);
    for _ in 0..random.below(10) {
        if syn::parse_str::<syn::ItemFn>(&changed.kernel.to_string()).is_ok() {
            break;
        }
        changed = change(unit, pool, random);
    }
    changed
}

/// Changes a kernel, or a device item beside it.
fn change(unit: &Unit, pool: &Pool, random: &mut Random) -> Unit {
    let mut mutant = unit.clone();
    // Most with one change: they are close to what people write.
    for _ in 0..1 + random.below(4) / 2 {
        let part = match random.below(20) {
            0 => &mut mutant.options,
            1..=4 if !mutant.items.is_empty() => {
                let count = mutant.items.len();
                &mut mutant.items[random.below(count)]
            }
            _ => &mut mutant.kernel,
        };
        *part = mutate::mutate(std::mem::take(part), pool, random);
    }
    mutant
}

/// Starts a thread with a large stack. The harness gives a test 2 MiB, too little for syn to read the kernels of the repository
/// that nest most deeply, and what judges a mutant prints and reads it more often than a macro does. That expansions fit the
/// stack of rustc is a test of its own, `what_is_accepted_fits_the_stack_of_macros`.
fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> std::thread::JoinHandle<T> {
    let thread = std::thread::Builder::new().stack_size(32 << 20);
    thread.spawn(work).expect("a thread")
}

/// Joins a thread: its result, or its panic.
fn joined<T>(thread: std::thread::JoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The mutations, and the kernels as they are: the corpus takes long to read, and tokens stay in their thread.
#[test]
fn whatever_stands_there_is_judged() {
    let threads = [0, 1].map(|part| {
        on_large_stack(move || {
            let units = corpus::units();
            judge_mutations(&units, part);
            judge_kernels(&units, part);
        })
    });
    threads.into_iter().for_each(joined);
}

/// Judges every second mutation, from this one on.
fn judge_mutations(units: &[Unit], part: u64) {
    let pool = Pool::of(units);
    let count = units.len() as u64;
    let (rounds, seed) = (
        variable("VYRE_FUZZ_ROUNDS", ROUNDS[usize::from(is_long())] * count),
        variable("VYRE_SEED", 1),
    );
    let (mut counts, mut findings, mut slowest) = (BTreeMap::new(), BTreeMap::new(), Duration::ZERO);
    // Half of them where no other number is asked for.
    let share = if is_long() || std::env::var_os("VYRE_FUZZ_ROUNDS").is_some() {
        1
    } else {
        2
    };
    let chosen = (variable("VYRE_FUZZ_SKIP", 0)..rounds).step_by(share);
    for round in chosen.skip(part as usize).step_by(2) {
        let unit = &units[(round % count) as usize];
        let mut random = Random::new(hash(&unit.kernel.to_string(), (seed << 32) | (round / count)));
        let mutant = mutant(unit, &pool, &mut random);
        let judged = judge::judge(&mutant, round);
        slowest = slowest.max(judged.took);
        *counts.entry(judged.outcome).or_insert(0) += 1;
        for (kind, text) in judged.findings {
            findings.entry(kind).or_insert_with(Vec::new).push(text);
        }
        // Spans are kept per thread.
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    println!(
        "{count} kernels, one of {share} of {rounds} mutations, every second one from {part} on: {counts:?}, the slowest in {slowest:?}"
    );
    for (kind, texts) in &findings {
        let shortest = texts.iter().min_by_key(|text| text.len()).map_or("", String::as_str);
        println!("---- {} times: {kind}\n{shortest}", texts.len());
    }
    assert!(findings.is_empty(), "{:?}", findings.keys());
    for outcome in [judge::ACCEPTED, judge::REFUSED, judge::LEFT] {
        let count = counts.get(outcome).copied().unwrap_or(0);
        assert!(count > rounds / share as u64 / 100, "{count} of {rounds} {outcome}");
    }
}

/// The corpus itself passes the checks, since most mutations should be close to real code. Judges one kernel in fourteen.
fn judge_kernels(units: &[Unit], part: u64) {
    assert!(units.len() > 700, "{} kernels", units.len());
    let mine = units.iter().step_by(7).skip(part as usize).step_by(2);
    let judged: Vec<Judged> = mine.map(|unit| judge::judge(unit, 0)).collect();
    let findings: Vec<_> = judged.iter().flat_map(|judged| &judged.findings).collect();
    assert!(findings.is_empty(), "{findings:#?}");
    let accepted = judged.iter().filter(|judged| judged.outcome == judge::ACCEPTED).count();
    assert!(accepted > judged.len() / 3, "{accepted} of {} accepted", judged.len());
}
