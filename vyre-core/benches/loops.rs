//! Compiles a kernel with many loops, to be counted by callgrind.
//!
//! ```text
//! scripts/scaling
//! ```
//!
//! runs it in the dev profile, in which macros run, with 128 and 512 loops, and prints the instructions of
//! `compile` in each. The argument is the number of loops.

use std::time::Instant;

use vyre_core::validate::validate;
use vyre_core::{CompileOptions, compile, text};
use vyre_test_support::many_loops::many_loops;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Cargo passes `--bench`.
    let count = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(512);
    let program = text::parse(&many_loops(count))?;
    let valid = validate(&program).map_err(|errors| format!("{errors:?}"))?;
    let started = Instant::now();
    let module = compile(&valid, &CompileOptions::default())?;
    let lines = module.ptx.lines().count();
    println!("{count} loops: {:?}, {lines} lines of PTX", started.elapsed());
    Ok(())
}
