//! The report for people: what stands at each line of the source.

use std::collections::BTreeMap;
use std::fmt::Write;

use vyre_core::report::{AccessReport, BranchReport, Divergence, Pattern};
use vyre_ir::ir::Span;

use super::{Code, Report};

/// The findings at a place, and what to change.
struct Remark {
    span: Span,
    text: String,
    advice: Vec<String>,
}

impl Report {
    /// The report as text. `line` yields the text of a line of a file.
    pub fn text(&self, line: &dyn Fn(&str, u32) -> Option<String>) -> String {
        let kernel = &self.kernel;
        let mut out = String::new();
        let [x, y, z] = kernel.block;
        let block = match (y, z) {
            (1, 1) => x.to_string(),
            (y, 1) => format!("{x} x {y}"),
            (y, z) => format!("{x} x {y} x {z}"),
        };
        // Writing to a string does not fail.
        let _ = writeln!(out, "kernel {}, blocks of {block} threads", self.name);
        if let Some(refused) = &kernel.refused {
            let _ = writeln!(out, "  refused: {refused}");
        }
        if let Some(resources) = self.resources() {
            let _ = writeln!(out, "  {resources}");
        }
        if !kernel.conditions.is_empty() {
            let conditions: Vec<String> = kernel.conditions.iter().map(|it| format!("`{it}`")).collect();
            let _ = writeln!(
                out,
                "  checks are decided by the launch where {}",
                conditions.join(" and ")
            );
        }
        let mut lines: BTreeMap<(u32, u32), Vec<Remark>> = BTreeMap::new();
        for remark in self.remarks() {
            lines
                .entry((remark.span.file, remark.span.line))
                .or_default()
                .push(remark);
        }
        let mut last = None;
        let width = lines.keys().map(|(_, line)| line.to_string().len()).max().unwrap_or(1);
        for ((file, number), mut remarks) in lines {
            let name = self.files.get(file as usize).map_or("?", String::as_str);
            if last != Some(file) {
                let _ = writeln!(out, "  {name}");
                last = Some(file);
            }
            let text = line(name, number).unwrap_or_default();
            let _ = writeln!(out, "{}", format!("  {number:>width$} | {text}").trim_end());
            remarks.sort_by_key(|remark| remark.span.column);
            for Remark { span, text, advice } in remarks {
                let _ = writeln!(out, "  {:width$} |   :{} {text}", "", span.column);
                for advice in advice {
                    let _ = writeln!(out, "  {:width$} |      help: {advice}", "");
                }
            }
        }
        out
    }

    /// Registers, memory and occupancy.
    fn resources(&self) -> Option<String> {
        let (target, resources) = match &self.code {
            Code::Elsewhere => return None,
            Code::Missing(reason) => {
                return Some(format!("{reason}: registers, spills and occupancy are not known"));
            }
            Code::Assembled { target, resources } => (target, resources),
        };
        let threads = self.kernel.block.iter().product();
        let spilled = match resources.spill_stores + resources.spill_loads {
            0 => "no spills".to_owned(),
            bytes => format!("{bytes} bytes of spills"),
        };
        let occupancy = match resources.occupancy(*target, threads) {
            Some((blocks, percent)) => format!("{blocks} blocks on a multiprocessor, occupancy {percent} %"),
            None => "occupancy not known".to_owned(),
        };
        Some(format!(
            "{target}: {} registers, {} bytes of shared memory, {spilled}; {occupancy}",
            resources.registers, resources.shared
        ))
    }

    fn remarks(&self) -> Vec<Remark> {
        let mut remarks: Vec<Remark> = self.kernel.accesses.iter().map(access).collect();
        remarks.extend(self.kernel.checks.iter().map(|check| Remark {
            span: check.span,
            text: format!("{}: {}", check.kind, check.check.text()),
            advice: Vec::new(),
        }));
        // Every kernel parts at the limit of its indices.
        let branches = self.kernel.branches.iter();
        let inner = branches.filter(|branch| branch.divergence != Divergence::Edge);
        remarks.extend(inner.map(branch));
        remarks
    }
}

fn access(access: &AccessReport) -> Remark {
    let name = match access.name.as_str() {
        "" => String::new(),
        name => format!("{name}: "),
    };
    let mut text = format!("{name}{} {} of {} bytes", access.space, access.kind, access.bytes);
    if let Some(check) = access.check {
        let _ = write!(text, ": {}", check.text());
    }
    if let Some(pattern) = pattern(access) {
        let _ = write!(text, "{} {pattern}", if access.check.is_some() { ";" } else { ":" });
    }
    Remark {
        span: access.span,
        text,
        advice: access.advice(),
    }
}

/// The pattern in words; `None` if there is nothing to tell.
fn pattern(access: &AccessReport) -> Option<String> {
    let size = access
        .element
        .map_or(access.bytes.into(), |element| element.size as i64);
    Some(match &access.pattern {
        Pattern::Uniform => "one address for all lanes".to_owned(),
        Pattern::Coalesced { .. } => "coalesced".to_owned(),
        Pattern::Strided {
            bytes,
            times: None,
            sectors,
        } => match bytes.checked_rem(size) {
            Some(0) if *bytes == size => format!("strided by {bytes} bytes, one element; {sectors} sectors"),
            Some(0) => format!("strided by {} elements, {sectors} sectors", bytes / size),
            _ => format!("strided by {bytes} bytes, {sectors} sectors"),
        },
        Pattern::Strided {
            bytes,
            times: Some(times),
            sectors,
        } => {
            let (elements, times) = match times.as_str() {
                "" => ("a number of".to_owned(), "a number".to_owned()),
                name => (format!("`{name}`"), format!("`{name}`")),
            };
            match *bytes == size {
                true => format!("strided by {elements} elements, {sectors} sectors"),
                false => format!("strided by {bytes} bytes times {times}, {sectors} sectors"),
            }
        }
        Pattern::Irregular { sectors } => format!("irregular, {sectors} sectors"),
        Pattern::Scattered { by_data: true } => "scattered, by data".to_owned(),
        Pattern::Scattered { by_data: false } => "scattered".to_owned(),
        Pattern::Banks { degree: 1, .. } => "no bank conflict".to_owned(),
        Pattern::Banks { degree, .. } => format!("{degree}-way bank conflict"),
        Pattern::UnknownBanks { by_data: true } => "banks depend on data".to_owned(),
        Pattern::UnknownBanks { by_data: false } => "bank conflicts not known".to_owned(),
        Pattern::Private => return None,
    })
}

fn branch(branch: &BranchReport) -> Remark {
    let what = if branch.is_loop { "loop" } else { "branch" };
    let how = match branch.divergence {
        Divergence::Edge => "at a limit".to_owned(),
        Divergence::Lanes { taken, of } => format!("{taken} of {of} lanes take it"),
        Divergence::Thread => "by the index of the thread".to_owned(),
        Divergence::Data => "by data".to_owned(),
    };
    Remark {
        span: branch.span,
        text: match branch.is_loop {
            true => format!("divergent {what}: lanes leave it {how}"),
            false => format!("divergent {what}: {how}"),
        },
        advice: branch.divergence.advice().map(str::to_owned).into_iter().collect(),
    }
}
