//! `--ssa`: graphs, the last one or those after a pass.

use vyre_core::inspect::{Observer, PASSES, Stage, compile_observed};

use super::sources::Sources;
use crate::Result;
use crate::source::Unit;

/// Keeps the graphs after one stage.
struct Graphs<'n> {
    stage: &'n str,
    /// The graph's heading and text.
    found: Vec<(String, String)>,
}

impl Observer for Graphs<'_> {
    fn passed(&mut self, stage: &Stage<'_>) {
        if stage.name == self.stage {
            self.found.push((stage.entry.to_owned(), stage.text()));
        }
    }
}

/// Shows the graphs after each run of a pass, or the graphs that PTX is written from.
pub(super) fn show(
    unit: &Unit,
    after: Option<&str>,
    sources: &Sources,
    section: &mut dyn FnMut(&str, String),
) -> Result<()> {
    let stage = match after {
        None => "ptx",
        Some(text) => pass(text)?,
    };
    let mut graphs = Graphs {
        stage,
        found: Vec::new(),
    };
    compile_observed(&unit.validated()?, &unit.options, &mut graphs).map_err(|error| error.to_string())?;
    if graphs.found.is_empty() {
        section(
            &format!("graph after {stage}"),
            format!("// {stage} does not run on this program"),
        );
    }
    let mut last = String::new();
    let mut run = 0;
    for (entry, text) in &graphs.found {
        run = if *entry == last { run + 1 } else { 1 };
        last.clone_from(entry);
        let heading = match after {
            None => format!("graph of entry `{entry}`"),
            Some(_) => format!("graph of entry `{entry}` after run {run} of {stage}"),
        };
        section(&heading, beside(sources, text));
    }
    Ok(())
}

/// A graph with source lines beside. The numbers of accesses go with the places that they stand behind.
fn beside(sources: &Sources, graph: &str) -> String {
    if !sources.are_shown() {
        return graph.to_owned();
    }
    let is_access = |line: &&str| line.starts_with("access");
    let lines: Vec<&str> = graph.lines().filter(|line| !is_access(line)).collect();
    sources.beside(&lines.join("\n"))
}

/// The pass of `after:gvn`, `after gvn` or `gvn`.
fn pass(text: &str) -> Result<&str> {
    let name = text
        .strip_prefix("after")
        .map_or(text, |rest| rest.trim_start_matches([':', ' ', '=']));
    // Before all passes.
    if name == "build" || PASSES.contains(&name) {
        return Ok(name);
    }
    Err(format!(
        "there is no pass `{name}`; there are build, {}",
        PASSES.join(", ")
    ))
}
