//! Reports that a build writes, by `VYRE_REPORT`.
//!
//! A macro has no output that cargo shows for dependencies, and none but errors that it keeps. So each kernel has two
//! files, in the folder `vyre-report` beside rustc's output: `CRATE/FILE.KERNEL.txt` and `.json`.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, io};

use proc_macro2::TokenStream;
use vyre_abi::target::Target;
use vyre_core::CompileOptions;
use vyre_ir::ir::Span;
use vyre_ir::validate::Validated;

use super::{Report, json, reports, source_line};
use crate::inline_code;

/// The variable: `1` for the folder in the target folder, or a folder.
pub(crate) const VARIABLE: &str = "VYRE_REPORT";

/// The architecture whose registers are told, if no build script names one.
const TARGET: &str = "sm_90";

/// An item by which cargo builds a crate again when the variable changes.
pub(crate) fn watch() -> TokenStream {
    WATCH.parse().unwrap_or_default()
}

const WATCH: &str = "const _: bool = ::core::option_env!(\"VYRE_REPORT\").is_some();";

/// Writes the reports about the kernels of a program, if the variable asks for them. What cannot be written is a warning
/// in rustc's output: a report never fails a build.
pub(crate) fn write(name: &str, valid: &Validated<'_>, options: &CompileOptions) {
    let Some(folder) = env::var_os(VARIABLE).and_then(|value| folder(&value.to_string_lossy(), &mut env::args()))
    else {
        return;
    };
    // The compiler has had it before, so this does not fail.
    let Ok(reports) = reports(name, valid, options, target()) else {
        return;
    };
    for report in reports {
        if let Err(error) = save(&folder, &report) {
            eprintln!("warning: no report of `{name}` in {}: {error}", folder.display());
        }
    }
}

/// The architecture that a report is for.
pub(crate) fn target() -> Option<Target> {
    let named = env::var(inline_code::TARGETS).ok();
    let first = named.as_deref().and_then(|names| names.split(' ').next());
    Target::from_name(first.unwrap_or(TARGET))
}

/// The folder of the reports of a crate; `None` if nothing is asked for, or it is not known where the output goes.
fn folder(value: &str, arguments: &mut dyn Iterator<Item = String>) -> Option<PathBuf> {
    let all = match value {
        "" | "0" => return None,
        "1" => beside(&output(arguments)?)?.join("vyre-report"),
        folder => PathBuf::from(folder),
    };
    // A build script has the name of its package alone.
    let name = env::var("CARGO_CRATE_NAME").or_else(|_| env::var("CARGO_PKG_NAME"));
    Some(all.join(name.unwrap_or_default()))
}

/// The folder that rustc writes to, or a build script.
fn output(arguments: &mut dyn Iterator<Item = String>) -> Option<PathBuf> {
    while let Some(argument) = arguments.next() {
        if argument == "--out-dir" {
            return arguments.next().map(PathBuf::from);
        }
        if let Some(path) = argument.strip_prefix("--out-dir=") {
            return Some(PathBuf::from(path));
        }
        // Where a command line is limited, cargo passes a file with an argument per line.
        if let Some(text) = argument
            .strip_prefix('@')
            .and_then(|path| fs::read_to_string(path).ok())
            && let Some(found) = output(&mut text.lines().map(str::to_owned))
        {
            return Some(found);
        }
    }
    env::var_os("OUT_DIR").map(PathBuf::from)
}

/// The folder of a profile, `target/debug`, around a folder of output: the one around the last `deps`, `examples` or `build`.
fn beside(output: &Path) -> Option<PathBuf> {
    let is_inner = |folder: &&Path| {
        let name = folder.components().next_back();
        let names = ["deps", "examples", "build"];
        names
            .iter()
            .any(|inner| name == Some(Component::Normal(inner.as_ref())))
    };
    output.ancestors().find(is_inner)?.parent().map(Path::to_owned)
}

/// Writes the two files of a report.
fn save(folder: &Path, report: &Report) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let stem = stem(report);
    let text = report.text(&|file, line| source_line(None, file, line));
    put(&folder.join(format!("{stem}.txt")), &text)?;
    put(
        &folder.join(format!("{stem}.json")),
        &json(std::slice::from_ref(report)),
    )
}

/// Replaces a file whole: crates that are built at the same time may have the same kernel.
fn put(path: &Path, text: &str) -> io::Result<()> {
    let aside = path.with_extension(format!("{}.aside", std::process::id()));
    fs::write(&aside, text)?;
    fs::rename(aside, path)
}

/// The name of a report's files: the source file and the kernel. Another kernel of this name, in another module of the
/// file, has a number behind.
fn stem(report: &Report) -> String {
    static TAKEN: Mutex<BTreeMap<String, Span>> = Mutex::new(BTreeMap::new());
    let file = report
        .files
        .get(report.kernel.span.file as usize)
        .map_or("", String::as_str);
    let parts = Path::new(file).with_extension("");
    let parts = parts.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
        _ => None,
    });
    let name = parts.chain([report.name.clone()]).collect::<Vec<_>>().join(".");
    let name: String = name
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let is_free = |name: &String| {
        taken
            .get(&name.to_lowercase())
            .is_none_or(|span| *span == report.kernel.span)
    };
    let free = std::iter::once(name.clone())
        .chain(numbered)
        .find(is_free)
        .unwrap_or(name);
    taken.insert(free.to_lowercase(), report.kernel.span);
    free
}

#[cfg(test)]
mod tests;
