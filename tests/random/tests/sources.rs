//! Random Rust programs: the front end's results agree with rustc's own code.
//!
//! Kernels of many threads are compared with threads that run one after the other.
//!
//! `VYRE_SEEDS=from..to` selects the programs; `VYRE_REFUSED` shows the ones that rustc rejects,
//! and `VYRE_SHRINK` reduces the first failing ones, which takes minutes.

use std::path::Path;

use vyre_test_random::source::kernels::{KernelSource, kernel_source};
use vyre_test_random::source::shrink::shrink;
use vyre_test_random::source::{Source, rustc, source, vyre};
use vyre_test_support::case::seeds;

/// Programs that rustc compiles at once.
const BATCH: u64 = 200;

/// Limit of reduced programs.
const SHOWN: usize = 3;

/// vyre's results of a program; a panic is reported as an error.
fn found(source: &Source) -> Result<[Vec<rustc::Found>; 2], String> {
    let make = || vyre::lower(source).and_then(|lowered| vyre::run(&lowered, &source.inputs));
    std::panic::catch_unwind(make).unwrap_or_else(|_| Err("a panic".to_owned()))
}

/// The difference between vyre's results and rustc's, if any.
fn difference(source: &Source, expected: &[rustc::Found]) -> Option<String> {
    match found(source) {
        Err(said) => Some(format!("refused: {said}")),
        Ok([interpreted, ran]) if interpreted == expected && ran == expected => None,
        Ok([interpreted, ran]) => Some(format!(
            "rustc {expected:?}\ninterpreter {interpreted:?}\nmachine {ran:?}"
        )),
    }
}

/// A reduced program that fails in the same way: with the same error, or with other results.
fn small(folder: &Path, seed: u64, source: &Source, how: &str) -> Source {
    let refused = how.starts_with("refused");
    shrink(source, |candidate| {
        let mine = found(candidate);
        let alike = match &mine {
            Err(said) => refused && how == format!("refused: {said}"),
            Ok(_) => !refused,
        };
        let panics = mine.as_ref().is_err_and(|said| said == "a panic");
        // No input makes the compiler panic, valid Rust or not.
        alike
            && (panics
                || rustc::run(folder, &[(seed, candidate.clone())])
                    .get(&seed)
                    .is_some_and(|expected| difference(candidate, expected).is_some()))
    })
}

/// Kernels of many threads, indexed by thread.
#[test]
fn kernels_do_what_rustc_makes_of_them() {
    if !rustc::is_there() {
        return eprintln!("skipped: no rustc");
    }
    let seeds = seeds(0..BATCH);
    let folder = std::env::temp_dir().join(format!("vyre-kernels-{}", std::process::id()));
    let (mut compared, mut panics, mut calls) = (0, 0, 0);
    let mut differ = Vec::new();
    let mut start = seeds.start;
    while start < seeds.end {
        let end = seeds.end.min(start + BATCH);
        let kernels: Vec<KernelSource> = (start..end).map(kernel_source).collect();
        let sources: Vec<(u64, Source)> = (start..)
            .zip(kernels.iter().map(|kernel| kernel.source.clone()))
            .collect();
        let expected = rustc::run(&folder, &sources);
        for (seed, kernel) in (start..).zip(&kernels) {
            let Some(expected) = expected.get(&seed) else { continue };
            compared += 1;
            calls += expected.len();
            panics += expected.iter().filter(|found| found.is_none()).count();
            let run = || vyre::run_kernel(kernel);
            let found = std::panic::catch_unwind(run).unwrap_or_else(|_| Err("a panic".to_owned()));
            match &found {
                Ok([interpreted, ran]) if interpreted == expected && ran == expected => continue,
                // Nested loops of all threads may exceed the step limit.
                Err(said) if said.contains("step limit") => continue,
                _ => {}
            }
            println!(
                "seed {seed}: rustc {expected:?}\n{found:?}\n{kernel:?}\n{}",
                kernel.source.text
            );
            differ.push(seed);
        }
        start = end;
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    println!(
        "seeds {seeds:?}: {compared} compared, {panics} of {calls} launches panic, {} differ",
        differ.len()
    );
    assert!(differ.is_empty(), "seeds {differ:?} differ");
    let many = seeds.end - seeds.start >= BATCH;
    assert!(
        !many || compared * 10 > (seeds.end - seeds.start) * 8 && panics * 10 < calls * 9,
        "{compared} compared, {panics} of {calls} panic"
    );
}

/// Reduced programs of earlier bugs, each with a description of the fault.
const KEPT: &[(&str, &str)] = &[(
    "a part of an array that a closure reads was taken for one to write",
    include_str!("../programs/sources/part_of_captured_array.rs"),
)];

/// Earlier bugs stay fixed.
#[test]
fn kept_programs_do_what_rustc_makes_of_them() {
    if !rustc::is_there() {
        return eprintln!("skipped: no rustc");
    }
    let inputs = vec![
        [0; 4],
        [1, 2, 3, 4],
        [7, 1 << 40, 5, 3],
        [u64::MAX, 1 << 63, 0x7fff_ffff, 0xffff_ff80],
    ];
    let sources: Vec<(u64, Source)> = (0..)
        .zip(KEPT)
        .map(|(number, (_, text))| {
            let (text, inputs) = (text.to_string(), inputs.clone());
            (number, Source { text, inputs })
        })
        .collect();
    let folder = std::env::temp_dir().join(format!("vyre-kept-{}", std::process::id()));
    let expected = rustc::run(&folder, &sources);
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    for ((number, source), (what, _)) in sources.iter().zip(KEPT) {
        let expected = expected
            .get(number)
            .unwrap_or_else(|| panic!("{what}: rustc refuses it"));
        assert_eq!(difference(source, expected), None, "{what}");
    }
}

#[test]
fn programs_do_what_rustc_makes_of_them() {
    if !rustc::is_there() {
        // As on machines for GPU tests.
        return eprintln!("skipped: no rustc");
    }
    let seeds = seeds(0..BATCH);
    let folder = std::env::temp_dir().join(format!("vyre-sources-{}", std::process::id()));
    let (mut compared, mut panics, mut calls) = (0, 0, 0);
    let mut differ = Vec::new();
    let mut start = seeds.start;
    while start < seeds.end {
        let end = seeds.end.min(start + BATCH);
        let sources: Vec<(u64, Source)> = (start..end).map(|seed| (seed, source(seed))).collect();
        let expected = rustc::run(&folder, &sources);
        for (seed, source) in &sources {
            let Some(expected) = expected.get(seed) else { continue };
            compared += 1;
            calls += expected.len();
            panics += expected.iter().filter(|found| found.is_none()).count();
            let Some(difference) = difference(source, expected) else {
                continue;
            };
            println!("seed {seed}: {difference}\n{}", source.text);
            if differ.len() < SHOWN && std::env::var_os("VYRE_SHRINK").is_some() {
                let small = small(&folder, *seed, source, &difference);
                println!("seed {seed}, made small:\n{}", small.text);
            }
            differ.push(*seed);
        }
        start = end;
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    println!(
        "seeds {seeds:?}: {compared} compared, {panics} of {calls} calls panic, {} differ",
        differ.len()
    );
    assert!(differ.is_empty(), "seeds {differ:?} differ");
    // rustc rejects few of many programs, and most calls terminate.
    let many = seeds.end - seeds.start >= BATCH;
    assert!(
        !many || compared * 10 > (seeds.end - seeds.start) * 8 && panics * 3 < calls,
        "{compared} compared, {panics} of {calls} panic"
    );
}
