//! `vyre run`: a kernel in the reference interpreter.
//!
//! Arguments stand on the command line, or in comments of the file:
//!
//! ```text
//! // run: --grid 4 --arg a=2.0 --arg x=1024*iota --arg y=1024*1
//! ```
//!
//! [`argument`] says how they are written; [`value`] prints them.

mod argument;
mod check;
mod grid;
mod value;

use clap::Parser;
use vyre_core::interp::check::{Check, Unwritten};
use vyre_core::interp::{self, Argument};
use vyre_core::ir::{Handle, Kernel, Program, Type};

use self::argument::Given;
use self::grid::Grid;
use crate::Result;
use crate::source::{self, Place};

/// Runs a kernel in the reference interpreter and prints what its slices hold afterwards
///
/// A fault of the kernel is printed as the host would get it, and the exit status is 1. Options may also stand in the
/// file, in lines `// run: --grid 4 --arg x=64*iota`; those of the command line take precedence.
#[derive(clap::Args)]
#[command(after_help = argument::HELP)]
pub(crate) struct Options {
    /// A text program (.vyre), or a Rust file with kernels; FILE:NAME picks one kernel
    #[arg(value_name = "FILE[:KERNEL]", value_parser = Place::parse)]
    place: Place,

    #[command(flatten)]
    launch: LaunchOptions,
}

/// How a kernel is launched.
#[derive(clap::Args, Default)]
struct LaunchOptions {
    /// Blocks of the launch along x, y and z
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = Grid::parse)]
    grid: Option<Grid>,

    /// An argument by the name of its parameter
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    arguments: Vec<String>,

    /// Bytes of dynamic shared memory
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(..=interp::SHARED_BYTES as i64))]
    shared: Option<u32>,

    /// The entry that runs, by number; without it the first whose predicate holds
    #[arg(long, value_name = "NUMBER")]
    entry: Option<usize>,

    /// Report data races, reads of memory that nothing has written, barriers that not all threads reach, and deadlocks
    #[arg(long)]
    check: bool,

    /// The order of the threads in a checked run, as a report names it; without it another one in each run
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// The most elements of a slice that are printed
    #[arg(long, value_name = "NUMBER")]
    show: Option<usize>,
}

/// The options of a line in the file.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Header {
    #[command(flatten)]
    launch: LaunchOptions,
}

/// Elements that are printed unless options say how many.
const SHOWN: usize = 32;

pub(crate) fn run(options: &Options) -> Result<()> {
    let file = options.place.file.display();
    let unit = source::read_one(&options.place)?;
    if unit.program.kernels.len() != 1 {
        return Err(source::several(&options.place, unit.program.kernels.len()));
    }
    let mut launch = header(&source::read_file(&options.place.file)?).map_err(|error| format!("{file}: {error}"))?;
    launch.overlay(&options.launch);
    options.launch.check()?;
    if launch.seed.is_some() && !launch.check {
        return Err("`--seed` sets the order of a checked run: add `--check`".to_owned());
    }
    let (program, kernel) = (&unit.program, Handle::new(0));
    let valid = unit.validated()?;
    let mut inputs = arguments(program, kernel, &launch.arguments)?;
    let grid = launch.grid.unwrap_or(Grid([1; 3]));
    grid.check(&program.kernels[kernel], valid.info().is_cooperative(kernel))?;
    let entries = program.kernels[kernel].entries.len();
    if let Some(entry) = launch.entry.filter(|&entry| entry >= entries) {
        return Err(format!(
            "`--entry {entry}` names no entry: `{}` has {entries}, numbered from 0",
            program.kernels[kernel].name
        ));
    }
    let unwritten = inputs.iter().enumerate().filter(|(_, given)| given.is_unwritten());
    let unwritten = unwritten.map(|(number, _)| Unwritten::new(number)).collect();
    let mut given: Vec<Argument<'_>> = inputs.iter_mut().map(|given| given.argument()).collect();
    let options = interp::Options {
        entry: launch.entry,
        shared_bytes: launch.shared.unwrap_or(0),
        ..interp::Options::default()
    };
    let mut printed = interp::Printed {
        room: u64::MAX,
        ..interp::Printed::default()
    };
    let outcome = match launch.check {
        true => {
            let seed = launch.seed.unwrap_or_else(check::any_seed);
            let check = Check {
                seed,
                unwritten,
                ..Check::default()
            };
            let checked = interp::launch_checked(&valid, kernel, &mut given, grid.0, options, &check, &mut printed);
            check::outcome(&checked, seed)
        }
        false => interp::launch_limited(&valid, kernel, &mut given, grid.0, options, &mut printed)
            .map_err(|error| error.to_string()),
    };
    crate::print(&printed.text)?;
    outcome?;
    for (parameter, given) in program.kernels[kernel].parameters.iter().zip(&inputs) {
        if let (Type::Slice { element, .. }, Given::Slice(bytes) | Given::Unwritten(bytes)) =
            (&program.types[parameter.ty], given)
        {
            let shown = launch.show.unwrap_or(SHOWN);
            let elements = value::slice(&program.types, *element, bytes, shown);
            crate::print(&format!("{} = {elements}\n", parameter.name))?;
        }
    }
    Ok(())
}

impl LaunchOptions {
    /// An error where options that stand together contradict each other.
    fn check(&self) -> Result<()> {
        let name = |text: &str| text.split('=').next().unwrap_or_default().trim().to_owned();
        for (number, text) in self.arguments.iter().enumerate() {
            let same = |before: &&String| name(before) == name(text);
            if let Some(first) = self.arguments[..number].iter().find(same) {
                return Err(format!(
                    "`--arg {first}` and `--arg {text}` are for the same parameter: leave out one"
                ));
            }
        }
        Ok(())
    }

    /// Takes what is given elsewhere in place of its own.
    fn overlay(&mut self, other: &LaunchOptions) {
        self.shared = other.shared.or(self.shared);
        self.entry = other.entry.or(self.entry);
        self.show = other.show.or(self.show);
        self.check |= other.check;
        self.seed = other.seed.or(self.seed);
        self.grid = other.grid.or(self.grid);
        // The last one of a name counts: the command line's before the file's.
        self.arguments.extend_from_slice(&other.arguments);
    }
}

/// The options in the comments of a file.
fn header(source: &str) -> Result<LaunchOptions> {
    let mut options = LaunchOptions::default();
    let lines = source
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("// run:"));
    for line in lines {
        let header = Header::try_parse_from(words(line)).map_err(|error| format!("`// run:{line}`: {error}"))?;
        let check = header.launch.check();
        check.map_err(|error| format!("`// run:{line}`: {error}"))?;
        options.overlay(&header.launch);
    }
    Ok(options)
}

/// The words of a line; spaces in brackets part none.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut depth) = (vec![String::new()], 0);
    for character in line.trim().chars() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        match character {
            ' ' if depth == 0 => words.push(String::new()),
            _ => words
                .iter_mut()
                .next_back()
                .into_iter()
                .for_each(|word| word.push(character)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The arguments of a kernel, then the tables that the host sets.
fn arguments(program: &Program, kernel: Handle<Kernel>, given: &[String]) -> Result<Vec<Given>> {
    let parameters = &program.kernels[kernel].parameters;
    let named = |wanted: &str| {
        let pairs = given.iter().rev().filter_map(|text| text.split_once('='));
        pairs
            .map(|(name, value)| (name.trim(), value.trim()))
            .find(|(name, _)| *name == wanted)
    };
    for text in given {
        let name = text.split('=').next().unwrap_or_default().trim();
        if !parameters.iter().any(|parameter| parameter.name == name) || !text.contains('=') {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            return Err(format!(
                "`--arg {text}` names no parameter; write NAME=VALUE with one of {}",
                names.join(", ")
            ));
        }
    }
    let mut inputs = Vec::new();
    for parameter in parameters {
        let Some((_, value)) = named(&parameter.name) else {
            let example = match program.types[parameter.ty] {
                Type::Slice { .. } => "64*iota",
                _ => "1",
            };
            return Err(format!(
                "parameter `{0}` has no argument; add `--arg {0}={example}`, or the line `// run: --arg {0}={example}` to the file",
                parameter.name
            ));
        };
        let input = argument::parse(&program.types, parameter.ty, value);
        inputs.push(input.map_err(|error| format!("argument `{}`: {error}", parameter.name))?);
    }
    for (_, table) in program.host_tables() {
        inputs.push(Given::table(&program.types, table));
    }
    Ok(inputs)
}
