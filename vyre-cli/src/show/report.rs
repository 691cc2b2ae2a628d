//! `--report`: what a kernel does to memory and to warps, and what to change.

use vyre_abi::target::Target;
use vyre_build::report::{self, Report};

use super::sources::Sources;
use crate::Result;
use crate::source::Unit;

/// The form of the report.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// By line of the source
    Text,
    /// For programs
    Json,
}

/// The reports about the kernels of a program as text.
pub(super) fn show(unit: &Unit, sources: &Sources, arch: Target) -> Result<String> {
    let line = |file: &str, number: u32| sources.text(file, number).map(str::to_owned);
    let texts = reports(unit, arch)?.into_iter().map(|report| report.text(&line));
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// The reports about all kernels as one JSON document.
pub(super) fn json(units: &[Unit], arch: Target) -> Result<String> {
    let mut all = Vec::new();
    for unit in units {
        all.extend(reports(unit, arch)?);
    }
    Ok(report::json(&all))
}

fn reports(unit: &Unit, arch: Target) -> Result<Vec<Report>> {
    report::reports(&unit.name, &unit.validated()?, &unit.options, Some(arch)).map_err(|error| error.to_string())
}
