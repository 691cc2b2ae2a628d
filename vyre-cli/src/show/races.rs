//! `--races`: accesses that another thread's may meet with no barrier between, and barriers at which threads may part.

use std::collections::BTreeMap;
use std::fmt::Write;

use vyre_core::CompileOptions;
use vyre_core::inspect::{Finding, Launch, Need, Observer, SIMPLIFIED, Safety, Stage, compile_observed};
use vyre_core::ir::{Handle, SharedVariable};

use super::facts::place;
use super::sources::Sources;
use crate::Result;
use crate::source::Unit;

/// Records the verdicts of the entries.
struct Seen<'p> {
    files: &'p [String],
    apart: &'p [Handle<SharedVariable>],
    /// The axes of each entry's launches.
    dimensions: BTreeMap<String, u32>,
    found: BTreeMap<String, Vec<Finding>>,
}

impl Observer for Seen<'_> {
    fn passed(&mut self, stage: &Stage<'_>) {
        if stage.name != SIMPLIFIED || self.found.contains_key(stage.entry) {
            return;
        }
        if let Some(&dimensions) = self.dimensions.get(stage.entry) {
            let launch = Launch {
                dimensions,
                grid: None,
                files: self.files,
                apart: self.apart,
            };
            self.found.insert(stage.entry.to_owned(), stage.races(launch));
        }
    }
}

/// The verdicts about each kernel of a program, what is not proven first. They are about the last entry, which is as the
/// source has it.
pub(super) fn show(unit: &Unit, sources: &Sources) -> Result<String> {
    let mut seen = Seen {
        files: &unit.program.files,
        apart: &unit.options.apart,
        dimensions: BTreeMap::new(),
        found: BTreeMap::new(),
    };
    for (_, kernel) in unit.program.kernels.iter() {
        if let Some(entry) = kernel.entries.last() {
            seen.dimensions.insert(entry.symbol.clone(), kernel.dimensions);
        }
    }
    let valid = unit.validated()?;
    compile_observed(&valid, &CompileOptions::default(), &mut seen).map_err(|error| error.to_string())?;
    let mut out = String::new();
    for (_, kernel) in unit.program.kernels.iter() {
        let names: Vec<String> = (kernel.parameters.iter())
            .map(|parameter| parameter.name.clone())
            .collect();
        let _ = writeln!(out, "kernel {}", kernel.name);
        let found = kernel.entries.last().and_then(|entry| seen.found.get(&entry.symbol));
        let mut topics: [(&str, Vec<String>); 4] = [
            ("not proven", Vec::new()),
            ("in an order that is not followed", Vec::new()),
            ("proven if the launch keeps", Vec::new()),
            ("proven", Vec::new()),
        ];
        for finding in found.into_iter().flatten() {
            let what = match finding.space {
                "" => finding.kind.to_owned(),
                space => format!("{space} {}", finding.kind),
            };
            let (topic, reason) = match &finding.safety {
                Safety::Unknown(reason) => (0, format!(": {reason}")),
                Safety::Unfollowed(reason, needs) => (1, format!(": {reason}{}", conditions(needs, &names, "; "))),
                Safety::Asks(needs) => (2, conditions(needs, &names, ": ")),
                Safety::Proven if finding.after_return => (3, ", without the threads that have returned".to_owned()),
                Safety::Proven => (3, String::new()),
            };
            let line = format!("{}: {what}{reason}", place(unit, sources, finding.span));
            if !topics[topic].1.contains(&line) {
                topics[topic].1.push(line);
            }
        }
        for (number, (topic, lines)) in topics.into_iter().enumerate() {
            // Few kernels have such an order.
            if lines.is_empty() && number == 1 {
                continue;
            }
            if lines.is_empty() {
                let _ = writeln!(out, "  {topic}: none");
                continue;
            }
            let _ = writeln!(out, "  {topic}");
            for line in lines {
                let _ = writeln!(out, "    {line}");
            }
        }
    }
    Ok(out)
}

/// The conditions of a proof. Those that hold each launch only where the kernel denies races are marked.
fn conditions(needs: &[Need], names: &[String], before: &str) -> String {
    let mut text = String::new();
    for (number, need) in needs.iter().enumerate() {
        let mark = if need.is_necessary {
            ""
        } else {
            " (asked by `deny(races)`)"
        };
        let between = if number == 0 { before } else { ", " };
        let _ = write!(text, "{between}`{}`{mark}", need.text(names));
    }
    text
}
