//! The differential corpus: results of rustc's own code against those of kernels.
//!
//! `corpus.txt` has one kernel per line with its results. The kernels are those of `computes.rs`
//! with tokens exchanged, so that literals, receivers and operands occur in unexpected positions;
//! the results are those of the same function compiled by rustc, with wrapping integers. A type
//! that vyre infers differently from rustc changes the bits.
//!
//! `cargo test -p vyre-build --test front -- --ignored record` writes a new one; `VYRE_SEED`
//! changes it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use proc_macro2::TokenStream;
use vyre_front::surface::{Element, Lowered, ParameterKind, Primitive};
use vyre_front::{Names, driver};
use vyre_ir::interp::{self, Argument};
use vyre_ir::ir::{Constant, Scalar};
use vyre_ir::validate::validate;
use vyre_test_support::refused::refused_lines;

use crate::mutate::{Random, flatten, mutate};

const PATH: &str = "tests/front/corpus.txt";

/// Statements that a launch may run: some of these kernels never end.
const STEPS: u64 = 300_000;

/// Number of recorded kernels.
const KERNELS: usize = 600;

/// The bits of an input of each type.
fn inputs(scalar: Scalar) -> Vec<u64> {
    let raw = [0, 1, 2, 3, 5, 7, 20, 255, 0x3f80_0000, 0x8000_0000_0000_0003];
    let float = |value: u64| value as f64 * 0.75 - 2.0;
    raw.into_iter()
        .map(|value: u64| match scalar {
            Scalar::F32 => u64::from((float(value) as f32).to_bits()),
            Scalar::F64 => float(value).to_bits(),
            _ => Constant::new(scalar, value).bits,
        })
        .collect()
}

/// NaNs are one class.
fn canonical(scalar: Scalar, bits: u64) -> u64 {
    match scalar {
        Scalar::F32 if f32::from_bits(bits as u32).is_nan() => u64::from(f32::NAN.to_bits()),
        Scalar::F64 if f64::from_bits(bits).is_nan() => f64::NAN.to_bits(),
        _ => bits,
    }
}

/// The element types of `fn k(xs: &[T], ys: &mut [U])`; `None` for kernels of another form.
fn elements(lowered: &Lowered) -> Option<(Primitive, Primitive)> {
    match lowered.surface.parameters[..] {
        [ref x, ref y] if !x.each && !y.each => match (&x.kind, &y.kind) {
            (ParameterKind::Slice(Element::Primitive(x)), ParameterKind::SliceMut(Element::Primitive(y))) => {
                Some((*x, *y))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The elements of `ys` after a launch of one block, or `fault`; `None` where it does not end.
fn interpreted(lowered: &Lowered) -> Option<String> {
    let (x, y) = elements(lowered)?;
    let (x, y) = (x.scalar(), y.scalar());
    let xs = inputs(x);
    let bytes = |scalar: Scalar, values: &[u64]| -> Vec<u8> {
        let size = scalar.size() as usize;
        values
            .iter()
            .flat_map(|value| value.to_le_bytes().into_iter().take(size))
            .collect()
    };
    let (mut xs, mut ys) = (bytes(x, &xs), bytes(y, &vec![0; xs.len()]));
    let program = validate(&lowered.program).expect("what the front end accepts is valid");
    let options = interp::Options {
        step_limit: STEPS,
        ..interp::Options::default()
    };
    let mut arguments = [Argument::Slice(&mut xs), Argument::Slice(&mut ys)];
    match interp::launch_with(&program, lowered.kernel, &mut arguments, [1, 1, 1], options) {
        Ok(()) => {}
        Err(interp::Error::Fault(_)) => return Some("fault".to_owned()),
        Err(_) => return None,
    }
    let results: Vec<String> = ys
        .chunks(y.size() as usize)
        .map(|chunk| chunk.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
        .map(|bits| canonical(y, bits).to_string())
        .collect();
    Some(results.join(","))
}

fn lowered(source: &str) -> Option<Lowered> {
    let tokens = TokenStream::from_str(source).ok()?;
    driver::kernel(TokenStream::new(), tokens, &Names::default()).ok()
}

#[test]
fn corpus() {
    let text = std::fs::read_to_string(PATH).expect("the corpus is there");
    let mut kernels = 0;
    for line in text.lines() {
        let (source, expected) = line.split_once('\t').expect("a kernel, a tab, its results");
        let lowered = lowered(source).unwrap_or_else(|| panic!("refused: {source}"));
        let found = interpreted(&lowered).expect("it ended when it was recorded");
        assert_eq!(found, expected, "{source}\n{}", vyre_ir::text::print(&lowered.program));
        kernels += 1;
    }
    assert_eq!(kernels, KERNELS);
}

/// The bodies of `computes.rs`, each in a kernel.
fn seeds() -> Vec<TokenStream> {
    let cases = include_str!("computes.rs").split("same!(|x: ").skip(1);
    cases
        .filter_map(|case| {
            let (from, rest) = case.split_once("| -> ")?;
            let (to, rest) = rest.split_once(' ')?;
            let source = format!(
                "fn k(xs: &[{from}], ys: &mut [{to}]) {{
                    let i = thread::index();
                    if i < xs.len() {{ let x = xs[i]; ys[i] = {}; }}
                }}",
                braced(rest)?
            );
            TokenStream::from_str(&source).ok()
        })
        .collect()
}

/// The text up to the brace that closes the first one.
fn braced(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(..=index);
        }
    }
    None
}

#[test]
#[ignore = "it writes the corpus"]
fn record() {
    let seed = std::env::var("VYRE_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(1);
    let mut random = Random::new(seed);
    let seeds = seeds();
    let mut sources = Vec::new();
    let mut round = 0;
    while sources.len() < KERNELS + KERNELS / 10 {
        let one = seeds[round % seeds.len()].clone();
        round += 1;
        let mut pool = Vec::new();
        flatten(one.clone(), &mut pool);
        flatten(seeds[random.below(seeds.len())].clone(), &mut pool);
        let mutations = random.below(4);
        let source = (0..mutations)
            .fold(one, |source, _| mutate(source, &pool, &mut random))
            .to_string();
        let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
        let ends = |source: &str| lowered(source).is_some_and(|lowered| interpreted(&lowered).is_some());
        if !sources.contains(&source) && ends(&source) {
            sources.push(source);
        }
    }
    let folder = std::env::temp_dir().join(format!("vyre-corpus-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let results = compiled(&folder, &mut sources);
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    let mut text = String::new();
    for (source, result) in sources.iter().zip(results).take(KERNELS) {
        writeln!(text, "{source}\t{result}").expect("writes to memory");
    }
    std::fs::write(PATH, text).expect("the corpus can be written");
}

/// rustc's results of the kernels; those that it rejects are dropped.
fn compiled(folder: &Path, sources: &mut Vec<String>) -> Vec<String> {
    loop {
        let file: PathBuf = folder.join("corpus.rs");
        std::fs::write(&file, program(sources)).expect("the program can be written");
        let output = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
            .args(["--edition=2024", "--error-format=short", "-Coverflow-checks=off", "-o"])
            .arg(folder.join("corpus"))
            .arg(&file)
            .output()
            .expect("rustc runs");
        if output.status.success() {
            break;
        }
        // Line 12 is the kernel of number 11.
        let errors = String::from_utf8_lossy(&output.stderr);
        for line in refused_lines(&errors, "corpus.rs").into_iter().rev() {
            sources.remove(line - 2);
        }
    }
    let output = Command::new(folder.join("corpus")).output().expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("it prints numbers");
    text.lines().map(str::to_owned).collect()
}

/// A program of one line for each kernel, which prints the results of each.
fn program(sources: &[String]) -> String {
    let mut text = include_str!("corpus_head.rs").replace('\n', " ");
    let mut calls = String::new();
    for (number, source) in sources.iter().enumerate() {
        let lowered = lowered(source).expect("it was accepted");
        let (x, y) = elements(&lowered).expect("it has the form");
        let name = lowered.surface.name.to_string();
        write!(text, "\nmod m{number} {{ use super::thread; pub {source} }}").expect("writes to memory");
        write!(
            calls,
            "run::<{}, {}>(m{number}::{name}, &{:?}); ",
            x.name(),
            y.name(),
            inputs(x.scalar())
        )
        .expect("writes to memory");
    }
    write!(
        text,
        "\nfn main() {{ std::panic::set_hook(Box::new(|_| {{}})); {calls} }}"
    )
    .expect("writes to memory");
    text
}
