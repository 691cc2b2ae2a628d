//! `vyre reduce`: a smaller program for which a command still succeeds.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use vyre_core::ir::{Arena, Kernel, Program};
use vyre_core::reduce::reduce;
use vyre_core::text;
use vyre_core::validate::validate;

use crate::Result;
use crate::source::{self, Place};

/// Makes a text program small for which a command succeeds
///
/// The command runs in a shell with `{}` replaced by the file of a candidate, or with that file as its last argument.
/// It succeeds where the candidate still shows what is looked for, for example
///
///     vyre reduce fails.vyre --check '! vyre run {}'
///
/// Candidates are valid programs. Comments at the top of the file stay, so that `// run:` lines hold.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Options {
    /// A text program (.vyre) for which the command succeeds, or a Rust file with kernels; FILE:NAME picks one kernel
    #[arg(value_name = "FILE[:KERNEL]", value_parser = Place::parse)]
    place: Place,

    /// The command
    #[arg(long, value_name = "COMMAND")]
    check: String,

    /// The file to write; without it the program is printed
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let file = options.place.file.display();
    let unit = source::read_one(&options.place)?;
    unit.validated()?;
    let (mut program, text) = (unit.program, source::read_file(&options.place.file)?);
    let mut check = Check {
        command: &options.check,
        comments: comments(&text),
        candidate: std::env::temp_dir().join(format!("vyre-reduce-{}.vyre", std::process::id())),
        runs: 0,
    };
    if !check.succeeds(&program) {
        return Err(format!(
            "the command fails for {file} itself: there is nothing to look for in it"
        ));
    }
    let before = size(&program);
    for number in (0..program.kernels.len()).rev() {
        let fewer = without(&program, number);
        if !fewer.kernels.is_empty() && check.succeeds(&fewer) {
            program = fewer;
        }
    }
    for kernel in program.kernels.handles() {
        program = reduce(&program, kernel, |candidate| check.succeeds(candidate));
    }
    let text = check.text(&program);
    eprintln!(
        "{} of {before} expressions left after {} checks",
        size(&program),
        check.runs
    );
    match &options.output {
        Some(output) => std::fs::write(output, text).map_err(|error| format!("{}: {error}", output.display())),
        None => crate::print(&text),
    }
}

/// The command, and what candidates are given to it in.
struct Check<'o> {
    command: &'o str,
    comments: String,
    candidate: PathBuf,
    runs: u32,
}

impl Check<'_> {
    fn text(&self, program: &Program) -> String {
        format!("{}{}", self.comments, text::print(&compacted(program)))
    }

    fn succeeds(&mut self, program: &Program) -> bool {
        self.runs += 1;
        let text = self.text(program);
        std::fs::write(&self.candidate, text).is_ok()
            && shell(self.command, &self.candidate)
                .status()
                .is_ok_and(|status| status.success())
    }
}

impl Drop for Check<'_> {
    fn drop(&mut self) {
        // A leftover in the temporary folder is harmless.
        let _ = std::fs::remove_file(&self.candidate);
    }
}

/// The command for a file, silent.
fn shell(command: &str, file: &Path) -> Command {
    let file = file.display().to_string();
    let line = match command.contains("{}") {
        true => command.replace("{}", &file),
        false => format!("{command} {file}"),
    };
    let mut shell = match cfg!(windows) {
        true => Command::new("cmd"),
        false => Command::new("sh"),
    };
    shell.args([if cfg!(windows) { "/C" } else { "-c" }, &line]);
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell
}

/// The comments at the top of a file.
fn comments(source: &str) -> String {
    let lines = source
        .lines()
        .take_while(|line| line.starts_with("//") || line.trim().is_empty());
    lines
        .filter(|line| !line.trim().is_empty())
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The program without a kernel.
fn without(program: &Program, number: usize) -> Program {
    let kernels = program.kernels.iter().filter(|(kernel, _)| kernel.index() != number);
    let kernels: Arena<Kernel> = kernels.map(|(_, kernel)| kernel.clone()).collect();
    Program {
        kernels,
        ..program.clone()
    }
}

/// A program without the nodes that no statement mentions any more.
fn compacted(program: &Program) -> Program {
    validate(program).map_or_else(|_| program.clone(), |valid| valid.canonical())
}

/// How many expressions the bodies of a program have.
fn size(program: &Program) -> usize {
    let program = compacted(program);
    let entries = program.kernels.iter().flat_map(|(_, kernel)| &kernel.entries);
    let bodies = entries.map(|entry| &entry.body);
    let functions = program.functions.iter().map(|(_, function)| &function.body);
    bodies.chain(functions).map(|body| body.exprs.len()).sum()
}
