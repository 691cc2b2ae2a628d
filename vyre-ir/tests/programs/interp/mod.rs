//! Programs in text form, against plain Rust.

mod barriers;
mod calls;
mod check;
mod clusters;
mod control;
mod expressions;
mod faults;
mod launches;
mod memory;
mod printing;
mod warps;

use vyre_ir::interp::{Argument, Error, Options, launch_with};
use vyre_ir::ir::{Constant, Program};
use vyre_ir::text;
use vyre_ir::validate::{Validated, validate};

/// Parses a program.
fn parse(text: &str) -> Program {
    text::parse(&format!("vyre 1\n{text}")).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The program as one that has passed the checks.
fn valid(program: &Program) -> Validated<'_> {
    validate(program).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Runs the kernel `k` of a program with few steps to spare.
fn run(text: &str, arguments: &mut [Argument<'_>], grid: [u32; 3]) -> Result<(), Error> {
    let program = parse(text);
    let options = Options {
        step_limit: 1_000_000,
        ..Options::default()
    };
    let kernel = program.kernel("k").expect("the program has a kernel `k`");
    launch_with(&valid(&program), kernel, arguments, grid, options)
}

/// Runs a body on one slice of `u32`, `out`, and returns what it holds then.
fn on_words(items: &str, block: &str, body: &str, grid: [u32; 3], out: &[u32]) -> Result<Vec<u32>, Error> {
    let text = format!(
        "file \"k.rs\"\n{items}\nkernel k(out: &mut [u32]) dimensions 3 block {block} {{ entry k {{\n{body}\n}} }}"
    );
    let mut bytes = words(out);
    run(&text, &mut [Argument::Slice(&mut bytes)], grid)?;
    Ok(read_words(&bytes))
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn read_words(bytes: &[u8]) -> Vec<u32> {
    let (words, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    words.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

fn u32_argument(value: u32) -> Argument<'static> {
    Argument::Scalar(Constant::new(vyre_ir::ir::Scalar::U32, u64::from(value)))
}
