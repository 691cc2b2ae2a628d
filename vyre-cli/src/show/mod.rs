//! `vyre show`: the compiled forms of the kernels of a file.

mod cpu;
mod facts;
mod ptx;
mod races;
mod report;
mod sass;
mod sources;
mod ssa;
mod times;

use std::fmt::Write;

use vyre_abi::target::{Features, Target};
use vyre_core::module::Module;
use vyre_core::{CompileOptions, compile};

use self::sources::Sources;
use crate::Result;
use crate::source::{self, Place, Unit};

/// Shows what becomes of the kernels of a file; without a form, their PTX
///
/// Source lines stand beside as comments. Several forms are shown one after the other.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// A Rust file with kernels, or a text program (.vyre); FILE:NAME picks one kernel
    #[arg(value_name = "FILE[:KERNEL]", value_parser = Place::parse)]
    place: Place,

    /// The program in its text form
    #[arg(long)]
    ir: bool,

    /// The graph that PTX is written from; with `=after:PASS`, the graph after each run of the pass
    #[arg(long, value_name = "after:PASS", num_args = 0..=1, require_equals = true)]
    ssa: Option<Option<String>>,

    /// The PTX
    #[arg(long)]
    ptx: bool,

    /// The machine code, by ptxas and nvdisasm
    #[arg(long)]
    sass: bool,

    /// The Rust that runs on the CPU
    #[arg(long)]
    cpu: bool,

    /// Facts that the compiler knows: checks that are left, memory accesses, barriers; with `=all`, also the checks
    /// that were removed
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "left")]
    facts: Option<facts::Extent>,

    /// Accesses that may race with those of other threads, and barriers that some threads may miss, with the reason
    #[arg(long)]
    races: bool,

    /// By line what becomes of checks, how warps access memory, bank conflicts and divergent branches, and what to change;
    /// with ptxas also registers, spills and occupancy; with `=json` for programs
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    report: Option<report::Format>,

    /// The architecture that machine code is for, of `--sass` and `--report`; sm_90 unless said
    #[arg(long, value_name = "sm_XX", value_parser = architecture)]
    arch: Option<Target>,

    /// A table of the time that each phase and pass takes
    #[arg(long)]
    time_passes: bool,

    /// The texts as the compiler has them, without source lines beside
    #[arg(long)]
    raw: bool,
}

/// Architectures that kernels run on, and that the assembler of CUDA 13 has no more.
const OLDER: [Target; 2] = [Target::new(70, Features::Baseline), Target::new(72, Features::Baseline)];

/// Reads an architecture; for the command line.
fn architecture(text: &str) -> Result<Target> {
    let mut known = OLDER.into_iter().chain(Target::ALL);
    let found = known.clone().find(|target| target.to_string() == text);
    found.ok_or_else(|| {
        let first = known.next().map(|first| first.to_string()).unwrap_or_default();
        let others: Vec<String> = known.map(|target| target.to_string()).collect();
        format!(
            "there is no such architecture for kernels; there are {first}, {}",
            others.join(", ")
        )
    })
}

impl Options {
    fn wants_ptx(&self) -> bool {
        let code = self.ir || self.ssa.is_some() || self.sass || self.cpu;
        let findings = self.facts.is_some() || self.races || self.report.is_some();
        self.ptx || !(code || findings || self.time_passes)
    }

    /// Refuses combinations of options that have no meaning.
    fn check(&self) -> Result<()> {
        if self.arch.is_some() && !self.sass && self.report.is_none() {
            return Err("`--arch` is for `--sass` and `--report`: add one of them".to_owned());
        }
        let others = [
            (self.ir, "--ir"),
            (self.ssa.is_some(), "--ssa"),
            (self.ptx, "--ptx"),
            (self.sass, "--sass"),
            (self.cpu, "--cpu"),
            (self.facts.is_some(), "--facts"),
            (self.races, "--races"),
            (self.time_passes, "--time-passes"),
        ];
        let other = others.iter().find(|(is_there, _)| *is_there);
        match (self.report, other) {
            (Some(report::Format::Json), Some((_, other))) => Err(format!(
                "`--report=json` prints JSON and nothing else: leave out `{other}`, or write `--report`"
            )),
            _ => Ok(()),
        }
    }

    fn arch(&self) -> Target {
        self.arch.unwrap_or(Target::new(90, Features::Baseline))
    }
}

pub(crate) fn show(options: &Options) -> Result<()> {
    options.check()?;
    let units = source::read(&options.place)?;
    if options.report == Some(report::Format::Json) {
        return crate::print(&report::json(&units, options.arch())?);
    }
    // Headings and texts.
    let mut sections: Vec<(String, String)> = Vec::new();
    for unit in &units {
        let sources = match options.raw {
            true => Sources::none(),
            false => Sources::of(&unit.program, &options.place.file),
        };
        let mut section = |form: &str, text: String| sections.push((format!("{form} of {}", unit.name), text));
        if options.ir {
            section("program", sources.beside(&vyre_core::text::print(&unit.program)));
        }
        if let Some(pass) = &options.ssa {
            ssa::show(unit, pass.as_deref(), &sources, &mut section)?;
        }
        if options.wants_ptx() {
            section("PTX", ptx::show(unit, &sources)?);
        }
        if options.sass {
            section("machine code", sass::show(unit, options.arch(), &sources)?);
        }
        if options.cpu {
            section("CPU body", cpu::show(unit)?);
        }
        if let Some(extent) = options.facts {
            section("facts", facts::show(unit, &sources, extent)?);
        }
        if options.races {
            section("races", races::show(unit, &sources)?);
        }
        if options.report.is_some() {
            section("report", report::show(unit, &sources, options.arch())?);
        }
        if options.time_passes {
            section("times", times::show(unit)?);
        }
    }
    crate::print(&joined(&sections))
}

/// The texts, with headings where there are several.
fn joined(sections: &[(String, String)]) -> String {
    if let [(_, text)] = sections {
        return format!("{}\n", text.trim_end_matches('\n'));
    }
    let mut out = String::new();
    for (number, (heading, text)) in sections.iter().enumerate() {
        let separator = if number == 0 { "" } else { "\n" };
        let _ = writeln!(out, "{separator}// ==== {heading}\n{}", text.trim_end_matches('\n'));
    }
    out
}

/// The module of a program.
fn compiled(unit: &Unit, options: &CompileOptions) -> Result<Module> {
    compile(&unit.validated()?, options).map_err(|error| error.to_string())
}
