//! Results of rustc's own code.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use vyre_test_support::refused::refused_lines;

use super::Source;

/// The result of one call: a number, or `None` if it panics.
pub type Found = Option<u64>;

/// True if a rustc is available.
pub fn is_there() -> bool {
    Command::new(rustc())
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

fn rustc() -> OsString {
    std::env::var_os("RUSTC").unwrap_or("rustc".into())
}

/// The results of each program for each of its inputs, by its number; programs that rustc rejects
/// are missing.
///
/// # Panics
/// If rustc, or the compiled program, cannot be run.
pub fn run(folder: &Path, sources: &[(u64, Source)]) -> BTreeMap<u64, Vec<Found>> {
    std::fs::create_dir_all(folder).expect("a folder for the program");
    let mut left: Vec<&(u64, Source)> = sources.iter().collect();
    let (file, binary) = (
        folder.join("sources.rs"),
        folder.join(format!("sources{}", std::env::consts::EXE_SUFFIX)),
    );
    loop {
        std::fs::write(&file, program(&left)).expect("the program can be written");
        let output = Command::new(rustc())
            .args([
                "--edition=2024",
                "--error-format=short",
                "-Coverflow-checks=off",
                "-Cdebug-assertions=off",
                "-o",
            ])
            .arg(&binary)
            .arg(&file)
            .output()
            .expect("rustc runs");
        if output.status.success() {
            break;
        }
        // Line 12 is the program of number 11, behind a head of one line.
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        for line in refused_lines(&errors, "sources.rs").into_iter().rev() {
            let (seed, _) = left.remove(line - 2);
            if sources.len() > 1 && std::env::var_os("VYRE_REFUSED").is_some() {
                let said = errors
                    .lines()
                    .find(|said| said.contains(&format!("sources.rs:{line}:")));
                let said = said.unwrap_or_default();
                let column = said
                    .split(':')
                    .nth(2)
                    .and_then(|column| column.parse::<usize>().ok())
                    .unwrap_or(1);
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                let here = text.lines().nth(line - 1).unwrap_or_default();
                let near: String = here.chars().skip(column.saturating_sub(60)).take(120).collect();
                println!("seed {seed}: rustc says {said}\n    {near}");
            }
        }
    }
    let output = Command::new(&binary).output().expect("the program runs");
    assert!(output.status.success(), "the program ended with {}", output.status);
    let text = String::from_utf8(output.stdout).expect("it prints numbers");
    let results = text
        .lines()
        .map(|line| line.split(' ').map(|word| word.parse().ok()).collect());
    left.iter().map(|(seed, _)| *seed).zip(results).collect()
}

/// A program with one line per source, which prints the results of each.
fn program(sources: &[&(u64, Source)]) -> String {
    let mut text = String::from(
        "#![allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic, invalid_nan_comparisons)] \
         mod vyre { std::thread_local! { static I: core::cell::Cell<usize> = core::cell::Cell::new(0); } \
             pub fn at(i: usize) { I.set(i) } \
             pub mod prelude { pub mod thread { pub fn index() -> usize { super::super::I.get() } } pub use core::sync::atomic::*; pub mod block { pub fn sync() {} } \
             pub fn shared<T>() -> &'static mut T { Box::leak(Box::new(unsafe { core::mem::zeroed() })) } } } \
         fn run(f: fn(u64, u64, u64, u64) -> u64, inputs: &[[u64; 4]]) { \
             let found = |&[a, b, c, d]: &[u64; 4]| match std::panic::catch_unwind(|| f(a, b, c, d)) { \
                 Ok(found) => found.to_string(), Err(_) => \"panic\".to_owned() }; \
             println!(\"{}\", inputs.iter().map(found).collect::<Vec<_>>().join(\" \")); }",
    );
    let mut calls = String::new();
    for (seed, source) in sources {
        let plain = source
            .text
            .replace("#[vyre::device]", "")
            .replace("# [vyre :: device]", "")
            .replace('\n', " ");
        write!(
            text,
            "\nmod c{seed} {{ use super::vyre; {plain} pub fn call(a: u64, b: u64, c: u64, d: u64) -> u64 {{ f(a, b, c, d) }} }}"
        )
        .expect("writes to memory");
        write!(calls, "run(c{seed}::call, &{:?}); ", source.inputs).expect("writes to memory");
    }
    text + &format!("\nfn main() {{ std::panic::set_hook(Box::new(|_| {{}})); {calls} }}\n")
}
