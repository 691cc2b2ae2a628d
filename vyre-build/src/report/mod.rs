//! Reports about kernels, as text for people and JSON for programs.
//!
//! [`vyre_core::report`] has the findings about accesses and branches; here they get the names of files, and the registers
//! that ptxas gives the machine code. [`text`](Report::text) and [`json`] render them.

pub(crate) mod json;
pub(crate) mod resources;
mod text;
pub(crate) mod written;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, io};

use vyre_abi::target::Target;
use vyre_core::CompileOptions;
use vyre_core::report::KernelReport;
use vyre_ir::module::CompileError;
use vyre_ir::validate::Validated;

pub use self::json::json;
use self::resources::Resources;
use crate::toolkit;

/// The report about a kernel.
#[derive(Clone, Debug)]
pub struct Report {
    /// The name, with the modules around it.
    name: String,
    /// The files that locations name, by number.
    files: Vec<String>,
    kernel: KernelReport,
    code: Code,
}

/// The machine code of a kernel, as far as it is known.
#[derive(Clone, Debug)]
enum Code {
    /// That of its entry for an architecture.
    Assembled { target: Target, resources: Resources },
    /// None, for this reason.
    Missing(String),
    /// Nothing: it is told elsewhere.
    Elsewhere,
}

/// The reports about the kernels of a program. Each has the `name`, or its own if there are several. `target` is the
/// architecture of the machine code whose registers are told; without one, ptxas is not called.
///
/// # Errors
/// If a kernel is too large.
pub fn reports(
    name: &str,
    valid: &Validated<'_>,
    options: &CompileOptions,
    target: Option<Target>,
) -> Result<Vec<Report>, CompileError> {
    let kernels = vyre_core::report::report(valid, options)?;
    let said = match target {
        Some(target) => Some((target, said(valid, options, target)?)),
        None => None,
    };
    let is_alone = kernels.len() == 1;
    let report = |kernel: KernelReport| Report {
        name: if is_alone { name.to_owned() } else { kernel.name.clone() },
        files: valid.program().files.clone(),
        code: match &said {
            None => Code::Elsewhere,
            Some((target, Ok(said))) => match Resources::read(said, &kernel.entry, 0) {
                Some(resources) => Code::Assembled {
                    target: *target,
                    resources,
                },
                None => Code::Missing("ptxas has said nothing about it".to_owned()),
            },
            Some((_, Err(reason))) => Code::Missing(reason.clone()),
        },
        kernel,
    };
    Ok(kernels.into_iter().map(report).collect())
}

/// The output of ptxas for a program and an architecture, or the reason why there is none.
fn said(
    valid: &Validated<'_>,
    options: &CompileOptions,
    target: Target,
) -> Result<Result<String, String>, CompileError> {
    let module = vyre_core::compile(
        valid,
        &CompileOptions {
            target: target.capability,
            line_info: false,
            deny_bounds_checks: false,
            deny_races: false,
            ..options.clone()
        },
    )?;
    Ok(match target.assembles(module.target) {
        // Values that rustc supplies are not known here.
        true => assembled(&module.ptx.replace("0xV", "0x0"), target),
        false => Err(format!("needs sm_{}", module.target)),
    })
}

/// The output of ptxas for PTX and an architecture, or the reason why there is none.
fn assembled(ptx: &str, target: Target) -> Result<String, String> {
    let program = toolkit::find("ptxas").ok_or("ptxas not found")?;
    if let Some(astray) = toolkit::astray("ptxas")
        .into_iter()
        .next()
        .filter(|_| !program.is_file())
    {
        return Err(format!("ptxas not found: {astray}"));
    }
    let failed = |error: io::Error| format!("{}: {error}", program.display());
    let (source, output) = (temporary("ptx"), temporary("cubin"));
    let run = || {
        fs::write(&source, ptx)?;
        let mut command = Command::new(&program);
        command.arg("-v").arg(format!("-arch={target}"));
        command.arg(&source).arg("-o").arg(&output).output()
    };
    let result = run();
    for path in [&source, &output] {
        // A file that stays in the temporary folder is harmless.
        let _ = fs::remove_file(path);
    }
    let result = result.map_err(failed)?;
    let said = String::from_utf8_lossy(&result.stderr).into_owned();
    match result.status.success() {
        true => Ok(said),
        false => Err(format!("ptxas failed: {}", said.lines().next().unwrap_or_default())),
    }
}

/// The path of a temporary file that no other thread or process has.
fn temporary(extension: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    env::temp_dir().join(format!("vyre-report-{}-{number}.{extension}", std::process::id()))
}

/// The line of a file in the current folder, or beside another one.
pub(crate) fn source_line(beside: Option<&Path>, file: &str, line: u32) -> Option<String> {
    let places = [Some(PathBuf::from(file)), beside.map(|folder| folder.join(file))];
    let text = places
        .into_iter()
        .flatten()
        .find_map(|path| fs::read_to_string(path).ok())?;
    let at = (line as usize).checked_sub(1)?;
    text.lines().nth(at).map(|line| line.trim().to_owned())
}
