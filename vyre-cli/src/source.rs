//! Reads the input files of commands.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use vyre_core::CompileOptions;
use vyre_core::ir::{Arena, Program};
use vyre_core::text;
use vyre_core::validate::{Validated, validate};

use crate::Result;

/// A program from a file: one kernel of a Rust file, or a whole text file.
pub(crate) struct Unit {
    /// The name of the kernel, in a text file those of all kernels.
    pub(crate) name: String,
    pub(crate) program: Program,
    /// The options of the compiler that its attribute asks for.
    pub(crate) options: CompileOptions,
    /// How long reading it took.
    pub(crate) front_time: Duration,
}

impl Unit {
    /// The program, checked.
    pub(crate) fn validated(&self) -> Result<Validated<'_>> {
        validate(&self.program).map_err(|errors| {
            let mut lines = vec![format!("the program of `{}` is not valid:", self.name)];
            lines.extend(errors.iter().map(|error| format!("  {}", error.display(&self.program))));
            lines.join("\n")
        })
    }

    /// Keeps only the kernel of this name.
    fn keep(&mut self, kernel: &str) {
        let kernels = &self.program.kernels;
        let kept: Arena<_> = kernels
            .iter()
            .filter(|(_, it)| it.name == kernel)
            .map(|(_, it)| it.clone())
            .collect();
        kernel.clone_into(&mut self.name);
        self.program.kernels = kept;
    }
}

/// A file, and maybe a kernel in it: `FILE` or `FILE:NAME`. Modules stand in front of the name, or it is that of any
/// kernel of this name.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) file: PathBuf,
    kernel: Option<String>,
}

impl Place {
    /// Reads a place; for the command line, which tells errors from places.
    pub(crate) fn parse(text: &str) -> std::result::Result<Place, std::convert::Infallible> {
        Ok(match text.rsplit_once(':') {
            Some((file, kernel)) if !Path::new(text).exists() && !kernel.contains(['/', '\\']) => Place {
                file: PathBuf::from(file),
                kernel: Some(kernel.to_owned()),
            },
            _ => Place {
                file: PathBuf::from(text),
                kernel: None,
            },
        })
    }
}

/// The programs of a place, at least one.
pub(crate) fn read(place: &Place) -> Result<Vec<Unit>> {
    let file = place.file.display();
    if place.file.is_dir() {
        return Err(format!("{file} is a folder: name a file in it"));
    }
    let mut units = match place.file.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => read_rust(&place.file)?,
        Some("vyre") => vec![read_text(&place.file)?],
        _ => return Err(format!("{file}: expected a Rust file (.rs) or a text program (.vyre)")),
    };
    if units.is_empty() {
        return Err(format!("{file} has no `#[vyre::kernel]` function"));
    }
    if units.iter().all(|unit| unit.program.kernels.is_empty()) {
        return Err(format!("{file} has no kernel"));
    }
    if let Some(kernel) = &place.kernel {
        let names = names(&units);
        units.retain(|unit| unit.name == *kernel || unit.program.kernel(kernel).is_some());
        match units.as_mut_slice() {
            [] => {
                return Err(format!(
                    "{file} has no kernel `{kernel}`; there are {}",
                    names.join(", ")
                ));
            }
            units => units.iter_mut().for_each(|unit| {
                if unit.name != *kernel {
                    unit.keep(kernel);
                }
            }),
        }
    }
    Ok(units)
}

/// The program of a place that names one.
pub(crate) fn read_one(place: &Place) -> Result<Unit> {
    let mut units = read(place)?;
    match (units.pop(), units.len()) {
        (Some(unit), 0) => Ok(unit),
        (_, others) => Err(several(place, others + 1)),
    }
}

/// The error for a place that stands for several kernels where one is needed.
pub(crate) fn several(place: &Place, kernels: usize) -> String {
    let file = place.file.display();
    format!("{file} has {kernels} kernels: name one, {file}:NAME")
}

/// The names of all kernels, as a place takes them.
fn names(units: &[Unit]) -> Vec<String> {
    let quoted = |name: &str| format!("`{name}`");
    match units {
        [unit] => unit
            .program
            .kernels
            .iter()
            .map(|(_, kernel)| quoted(&kernel.name))
            .collect(),
        _ => units.iter().map(|unit| quoted(&unit.name)).collect(),
    }
}

fn read_rust(file: &Path) -> Result<Vec<Unit>> {
    let kernels = vyre_build::inspect(file).map_err(|error| error.to_string())?;
    let unit = |kernel: vyre_build::Inspected| Unit {
        name: kernel.name,
        program: kernel.program,
        options: CompileOptions {
            deny_bounds_checks: kernel.denied.bounds_checks,
            deny_races: kernel.denied.races,
            apart: kernel.collectives,
            assume_launches: !kernel.denied.launches,
            ..CompileOptions::default()
        },
        front_time: kernel.time,
    };
    Ok(kernels.into_iter().map(unit).collect())
}

/// The program of a text file, which tests may have given an expectation.
fn read_text(file: &Path) -> Result<Unit> {
    let source = read_file(file)?;
    let started = Instant::now();
    let program = text::parse(program_text(&source)).map_err(|error| format!("{}:{error}", file.display()))?;
    let front_time = started.elapsed();
    let kernels = program.kernels.iter().map(|(_, kernel)| kernel.name.as_str());
    Ok(Unit {
        name: kernels.collect::<Vec<_>>().join(", "),
        front_time,
        program,
        options: CompileOptions::default(),
    })
}

/// A text file up to what a test expects of it.
fn program_text(source: &str) -> &str {
    let end = source.find("\n---- ").unwrap_or(source.len());
    &source[..end]
}

pub(crate) fn read_file(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}
