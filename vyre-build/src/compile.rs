//! Kernels for build scripts: whole files and programs, compiled ahead of the crate.
//!
//! All is compiled first ([`files`], [`program`]), then assembled where architectures are named ([`targets`],
//! [`assembler`](crate::assembler)), then written ([`folder`]) and reported ([`report`]).

mod error;
mod files;
mod folder;
mod module_name;
mod program;
mod report;
mod targets;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use vyre_abi::target::Target;
use vyre_core::CompileOptions;
use vyre_front::file::{FileReader, printed};
use vyre_front::surface::Lowered;
use vyre_ir::ir::Program;
use vyre_ir::validate::Validated;

pub use self::error::Error;
use self::files::{Compiled, Files};
use self::folder::{Build, Folder};
use self::module_name::module_name;
use self::report::Row;
pub use self::targets::{Ptxas, inline};
use self::targets::{find, warn};
use crate::assembler::{Assembler, Outcome};
use crate::large_stack::on_large_stack;
use crate::report::resources::Resources;
use crate::report::{Report, written};

/// Compiles the kernels of a file, given from the crate's folder: a [`Kernels`] of this file alone.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), vyre_build::Error> {
///     vyre_build::compile("src/kernels.rs")
/// }
/// ```
///
/// # Errors
/// Those of [`Kernels::compile`].
pub fn compile(path: impl AsRef<Path>) -> Result<(), Error> {
    Kernels::new().file(path).compile()
}

/// Kernels that a build script compiles ahead of its crate.
///
/// ```no_run
/// // build.rs
/// use vyre_build::Kernels;
///
/// fn main() -> Result<(), vyre_build::Error> {
///     Kernels::new()
///         .file("src/filters/blur.rs")
///         .file("src/filters/median.rs")
///         .targets(["sm_80", "sm_90"])
///         .compile()
/// }
/// ```
///
/// Each file becomes a module of its name, which is its path without `src` and extension. The crate takes it in by
/// ```ignore
/// mod blur {
///     vyre::include_kernels!("filters/blur");
/// }
/// ```
///
/// The module has the items of the file, with launchers in place of its kernels. It lies in `OUT_DIR/vyre`, as
/// `filters/blur.rs`, with the PTX of each kernel `rows` beside it in `filters/blur/rows.ptx`, and
/// in `rows.sm_80.ptx` where newer devices have their own. Files that an earlier
/// build has left there are removed.
///
/// A kernel may use the constants of the file, its functions, structs and enums that are marked
/// `#[vyre::device]`, its type aliases, and the items of a `#[vyre::device] mod`; others are
/// refused, because rustc, which could resolve them, has not run yet. Inner attributes of the file
/// (`#![..]` and `//!`) are removed, because `include!` does not accept them. The generated module
/// has `unsafe` code.
#[derive(Debug, Default)]
#[must_use = "nothing is compiled before `compile`"]
pub struct Kernels {
    sources: Vec<Source>,
    targets: Vec<String>,
    options: CompileOptions,
    ptxas: Ptxas,
    report: bool,
}

/// Where kernels come from.
#[derive(Debug)]
enum Source {
    File(PathBuf),
    Program(String, Box<Program>),
}

/// A generated module.
struct Module {
    name: String,
    text: String,
    kernels: Vec<Compiled>,
    reports: Vec<Report>,
}

impl Kernels {
    /// No kernels yet.
    pub fn new() -> Kernels {
        Kernels::default()
    }

    /// Adds the kernels of a file, given from the crate's folder.
    pub fn file(mut self, path: impl AsRef<Path>) -> Kernels {
        self.sources.push(Source::File(path.as_ref().to_owned()));
        self
    }

    /// Adds the kernels of a program, which the build script has made by [`ir::build`](crate::ir::build) or parsed. They
    /// become a module of this name.
    ///
    /// ```no_run
    /// // build.rs
    /// use vyre_build::Kernels;
    /// use vyre_build::ir::{Program, build};
    ///
    /// fn main() -> Result<(), vyre_build::Error> {
    ///     let mut program = Program::default();
    ///     let parameters = (build::value::<f32>("a"), build::slice_mut::<f32>("x"));
    ///     build::kernel(&mut program, "scale", &[256], parameters, |k, (a, x)| {
    ///         let i = k.linear_index();
    ///         k.if_(i.lt(x.len()), || x.set(i, a * x.at(i)));
    ///     });
    ///     Kernels::new().program("scaling", &program).compile()
    /// }
    /// ```
    ///
    /// The module has a launcher for each kernel, `scale` and `Scale`, as if it were written in Rust. Parameters are
    /// scalars, arrays of them, slices of these, and slices of atomics.
    pub fn program(mut self, name: impl Into<String>, program: &Program) -> Kernels {
        self.sources
            .push(Source::Program(name.into(), Box::new(program.clone())));
        self
    }

    /// Adds architectures for which machine code is embedded: `["sm_80", "sm_90a"]`.
    ///
    /// A device loads the code that fits it, and the PTX if there is none: see [`Ptxas`] for where the code comes from. A
    /// kernel that needs a newer architecture has none for the older ones.
    pub fn targets<T: Into<String>>(mut self, targets: impl IntoIterator<Item = T>) -> Kernels {
        self.targets.extend(targets.into_iter().map(Into::into));
        self
    }

    /// Sets the options of the compiler. The embedded PTX names the lines of the source in any case; with `line_info` machine
    /// code has tables of them, too, and is about twice as large.
    pub fn options(mut self, options: CompileOptions) -> Kernels {
        self.options = options;
        self
    }

    /// Sets whether ptxas is called; [`Ptxas::IfPresent`] unless set.
    ///
    /// ptxas is the program that `VYRE_PTXAS` names, else one in the folder `bin` of `VYRE_CUDA`, in a folder of `PATH`,
    /// or in the CUDA toolkit.
    pub fn ptxas(mut self, ptxas: Ptxas) -> Kernels {
        self.ptxas = ptxas;
        self
    }

    /// Sets whether kernels are reported, in `OUT_DIR/vyre/report.txt` for people and `report.json` for programs: the
    /// registers, shared memory, spills, occupancy and sizes of the machine code, and by line the checks that are left,
    /// how warps access memory, bank conflicts, and divergent branches.
    pub fn report(mut self, report: bool) -> Kernels {
        self.report = report;
        self
    }

    /// Compiles the kernels.
    ///
    /// # Errors
    /// Errors in the kernels, of the assembler, or of reading and writing the files.
    pub fn compile(self) -> Result<(), Error> {
        let [root, out] = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(|name| match std::env::var_os(name) {
            Some(value) => Ok(PathBuf::from(value)),
            None => Err(Error::NotInBuildScript { variable: name }),
        });
        println!("cargo:rerun-if-env-changed={}", written::VARIABLE);
        static BUILD: Mutex<Build> = Mutex::new(Build::new());
        let mut build = BUILD.lock().unwrap_or_else(PoisonError::into_inner);
        let (root, out) = (root?, out?);
        let assemblers = || find(self.ptxas, self.options.line_info, &out);
        self.compile_in(&root, &out, &mut build, assemblers)
    }

    /// Compiles what lies in the folder `root` into `out`, with the assembler that is found if there are targets. All is
    /// compiled before anything is written.
    fn compile_in(
        &self,
        root: &Path,
        out: &Path,
        build: &mut Build,
        find: impl FnOnce() -> Result<Option<Assembler>, Error> + Send,
    ) -> Result<(), Error> {
        on_large_stack(|| self.compile_here(root, out, build, find))
    }

    fn compile_here(
        &self,
        root: &Path,
        out: &Path,
        build: &mut Build,
        find: impl FnOnce() -> Result<Option<Assembler>, Error>,
    ) -> Result<(), Error> {
        let targets = targets::targets(&self.targets)?;
        let mut folder = Folder::new(out, build);
        let modules = self.modules(root, &mut folder, !targets.is_empty())?;
        let assembler = if targets.is_empty() { None } else { find()? };
        let jobs: Vec<(usize, usize, Target)> = jobs(&modules, &targets);
        let outcomes = match &assembler {
            None => Vec::new(),
            Some(assembler) => {
                let ptx = |&(module, kernel, target): &(usize, usize, Target)| {
                    (
                        modules[module].kernels[kernel].module.ptx_for(target.capability),
                        target,
                    )
                };
                let outcomes = assembler.assemble_all(&jobs.iter().map(ptx).collect::<Vec<_>>());
                let outcomes = outcomes.map_err(|error| Error::File {
                    path: assembler.folder().to_owned(),
                    error,
                })?;
                self.refuse_failures(assembler, &modules, &jobs, &outcomes)?;
                outcomes
            }
        };
        let mut made = jobs.iter().zip(&outcomes).peekable();
        for (number, module) in modules.iter().enumerate() {
            for (place, kernel) in module.kernels.iter().enumerate() {
                let mut assembled = Vec::new();
                while let Some((job, outcome)) = made.next_if(|((of, at, _), _)| (*of, *at) == (number, place)) {
                    assembled.push((job.2, outcome));
                }
                write(&mut folder, module, kernel, &targets, &assembled)?;
                folder.report(rows(module, kernel, &targets, &assembled));
            }
            folder.write(&format!("{}.rs", module.name), module.text.as_bytes())?;
        }
        if self.report {
            let assembler = match &assembler {
                Some(it) => format!("ptxas {}, {}", it.release(), it.program().display()),
                None => "nobody: ptxas was not called".to_owned(),
            };
            modules
                .iter()
                .for_each(|module| folder.add_reports(&module.name, &module.reports));
            let (text, json) = {
                let (rows, reports) = (folder.rows(), folder.reports());
                (
                    report::text(rows, &assembler, &reports),
                    report::json(rows, &assembler, &reports),
                )
            };
            folder.write("report.txt", text.as_bytes())?;
            folder.write("report.json", json.as_bytes())?;
        }
        folder.remove_stale()
    }

    /// The files of a module of this name, which lie in a folder beside it.
    fn files<'a>(&'a self, name: &'a str, has_cubins: bool) -> Files<'a> {
        Files {
            folder: name.rsplit('/').next().unwrap_or_default(),
            with: &self.options,
            has_cubins,
            kernels: Vec::new(),
            reports: self.report,
            reported: Vec::new(),
        }
    }

    /// Compiles all sources to PTX.
    fn modules(&self, root: &Path, folder: &mut Folder<'_>, has_cubins: bool) -> Result<Vec<Module>, Error> {
        let (mut modules, mut complaints) = (Vec::new(), Vec::new());
        for source in &self.sources {
            match source {
                Source::File(path) => {
                    println!("cargo:rerun-if-changed={}", path.display());
                    let name = module_name(root, path)?;
                    folder.name(&name, path.display().to_string())?;
                    let source = root.join(path);
                    let text = std::fs::read_to_string(&source).map_err(|error| Error::File { path: source, error })?;
                    let mut files = self.files(&name, has_cubins);
                    let mut compile =
                        |name: &str, lowered: &Lowered, valid: &Validated<'_>| files.compile(name, lowered, valid);
                    let mut reader = FileReader::new(path, Some(&mut compile));
                    let text = printed(reader.file(&text).items);
                    complaints.extend(reader.complaints);
                    let (kernels, reports) = (files.kernels, files.reported);
                    modules.push(Module {
                        name,
                        text,
                        kernels,
                        reports,
                    });
                }
                Source::Program(name, program) => {
                    if !module_name(root, Path::new(name)).is_ok_and(|file| file == *name) {
                        return Err(Error::NoName {
                            path: name.into(),
                            reason: "name the program as a file without extension, `fused` or `fft/fused`",
                        });
                    }
                    folder.name(name, format!("the program `{name}`"))?;
                    let mut files = self.files(name, has_cubins);
                    let file = program::module(program, &mut files).map_err(|faults| Error::Program {
                        name: name.clone(),
                        faults,
                    })?;
                    modules.push(Module {
                        name: name.clone(),
                        text: printed(file.items),
                        kernels: files.kernels,
                        reports: files.reported,
                    });
                }
            }
        }
        match complaints.is_empty() {
            true => Ok(modules),
            false => Err(Error::Kernels(complaints)),
        }
    }

    /// The first kernel that ptxas does not assemble is an error; where a build may go without, each is a warning.
    fn refuse_failures(
        &self,
        assembler: &Assembler,
        modules: &[Module],
        jobs: &[(usize, usize, Target)],
        outcomes: &[Outcome],
    ) -> Result<(), Error> {
        for (&(module, kernel, target), outcome) in jobs.iter().zip(outcomes) {
            let Err(said) = outcome else { continue };
            let error = Error::Assembler {
                program: assembler.program().to_owned(),
                kernel: modules[module].kernels[kernel].file.clone(),
                target: target.to_string(),
                said: said.clone(),
            };
            match self.ptxas {
                Ptxas::Required => return Err(error),
                _ => warn(&format!("the kernel is PTX alone: {error}")),
            }
        }
        Ok(())
    }
}

/// The work of the assembler: module, kernel and target, in order.
fn jobs(modules: &[Module], targets: &[Target]) -> Vec<(usize, usize, Target)> {
    let mut jobs = Vec::new();
    for (number, module) in modules.iter().enumerate() {
        for (place, kernel) in module.kernels.iter().enumerate() {
            let fitting = targets.iter().filter(|target| kernel.reason(**target).is_none());
            jobs.extend(fitting.map(|&target| (number, place, target)));
        }
    }
    jobs
}

/// Writes the files of a kernel.
fn write(
    folder: &mut Folder<'_>,
    module: &Module,
    kernel: &Compiled,
    targets: &[Target],
    assembled: &[(Target, &Outcome)],
) -> Result<(), Error> {
    let path = |file: String| format!("{}/{file}", module.name);
    folder.write(&path(format!("{}.ptx", kernel.file)), kernel.module.ptx.as_bytes())?;
    if let Some(newer) = &kernel.module.newer {
        folder.write(&path(files::newer(&kernel.file, newer)), newer.ptx.as_bytes())?;
    }
    let mut there = Vec::new();
    for (target, outcome) in assembled {
        if let Ok(made) = outcome {
            folder.write(&path(files::cubin(&kernel.file, *target)), &made.code)?;
            there.push(*target);
        }
    }
    if !targets.is_empty() {
        let list = files::cubins(&kernel.file, there.into_iter());
        folder.write(&path(format!("{}.cubins.rs", kernel.file)), list.as_bytes())?;
    }
    Ok(())
}

/// The rows of a kernel in the report.
fn rows(module: &Module, kernel: &Compiled, targets: &[Target], assembled: &[(Target, &Outcome)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for &target in targets {
        let outcome = assembled
            .iter()
            .find(|(of, _)| *of == target)
            .map(|(_, outcome)| outcome);
        for symbol in &kernel.symbols {
            let outcome = match (outcome, kernel.reason(target)) {
                (Some(Ok(made)), _) => Resources::read(&made.said, symbol, made.code.len())
                    .ok_or_else(|| "ptxas has said nothing about it".to_owned()),
                (Some(Err(said)), _) => Err(said.lines().next().unwrap_or("ptxas failed").to_owned()),
                (None, Some(reason)) => Err(reason),
                (None, None) => Err("ptxas was not called".to_owned()),
            };
            rows.push(Row {
                module: module.name.clone(),
                kernel: kernel.file.clone(),
                entry: symbol.clone(),
                target,
                threads: kernel.threads,
                outcome,
            });
        }
    }
    rows
}

#[cfg(test)]
mod tests;
