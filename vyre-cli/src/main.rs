//! `vyre`, a tool for authors of kernels and for work on the compiler.
//!
//! ```text
//! vyre show kernels.rs                     the PTX of each kernel, with source lines beside
//! vyre show kernels.rs:saxpy --ir --ssa    one kernel as a program and as optimised graph
//! vyre show k.vyre --ssa=after:gvn         the graph after each run of a pass
//! vyre show k.vyre --sass --arch sm_90     machine code, by ptxas and nvdisasm
//! vyre show k.vyre --cpu                   the Rust that runs on the CPU
//! vyre show k.vyre --facts                 bounds checks that are left, widths of accesses, ...
//! vyre show kernels.rs --report            coalescing, bank conflicts, divergence, checks, registers, by line
//! vyre show k.vyre --races                 accesses that may race, barriers that threads may miss
//! vyre show k.vyre --time-passes           where the compiler spends its time
//! vyre run k.vyre --arg x=64*iota          a text program in the reference interpreter
//! vyre reduce k.vyre --check ./fails.sh    the smallest program for which a command still succeeds
//! vyre doctor                              what is found of toolchain, driver, GPUs and tools
//! ```
//!
//! `cargo install --path vyre-cli` installs it; in the repository `cargo run -p vyre-cli --` runs
//! it.
//!
//! **Files** end in `.rs` (Rust with `#[vyre::kernel]` functions, read as `vyre_build::compile`
//! reads them) or `.vyre` (the text form of programs, which `show --ir --raw` prints). `FILE:NAME`
//! picks one kernel; in a Rust file `NAME` has the modules in front, `FILE:blur.rows`.
//!
//! **The code.** [`source`] reads files; [`show`], [`run`], [`reducing`] and [`doctor`] are the
//! commands. Code shared with the workspace's tests is in the library, `vyre_cli::reduce` and
//! `vyre_cli::toolkit`.

mod doctor;
mod reducing;
mod run;
mod show;
mod source;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Shows what becomes of GPU kernels, runs and reduces programs, and checks the toolchain.
#[derive(Parser)]
#[command(name = "vyre", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Show(show::Options),
    Run(run::Options),
    Reduce(reducing::Options),
    Doctor(doctor::Options),
}

/// A command's error is a message for its user.
type Result<T> = std::result::Result<T, String>;

/// Prints a text. A reader that has closed its end, as `head` does, ends the tool in silence.
fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result.map_err(|error| format!("standard output: {error}")),
    }
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let outcome = vyre_build::on_large_stack(|| match &command {
        Command::Show(options) => show::show(options),
        Command::Run(options) => run::run(options),
        Command::Reduce(options) => reducing::run(options),
        Command::Doctor(options) => doctor::doctor(options),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
