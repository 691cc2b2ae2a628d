//! The report for programs. One finding a line, so that reports can be compared.

use std::fmt::Write;

use vyre_core::report::{Divergence, Pattern};
use vyre_ir::ir::Span;

use super::{Code, Report};

/// The reports as JSON.
pub fn json(reports: &[Report]) -> String {
    let kernels: Vec<String> = reports.iter().map(|report| report.json("    ")).collect();
    format!("{{\n  \"format\": 1,\n  \"kernels\": {}\n}}\n", list("  ", kernels))
}

/// A list with a line for each element.
pub(crate) fn list(indent: &str, elements: Vec<String>) -> String {
    match elements.is_empty() {
        true => "[]".to_owned(),
        false => format!("[\n{indent}  {}\n{indent}]", elements.join(&format!(",\n{indent}  "))),
    }
}

impl Report {
    /// The report as a JSON object, of which other lines than the first begin with an indent.
    pub(crate) fn json(&self, indent: &str) -> String {
        let kernel = &self.kernel;
        let [x, y, z] = kernel.block;
        let accesses = kernel.accesses.iter().map(|access| {
            let check = access.check.map_or("null".to_owned(), |check| quoted(check.text()));
            format!(
                "{{{}, \"name\": {}, \"kind\": {}, \"space\": {}, \"bytes\": {}, \"check\": {check}, {}, \"advice\": {}}}",
                self.place(access.span),
                quoted(&access.name),
                quoted(access.kind),
                quoted(access.space),
                access.bytes,
                pattern(&access.pattern),
                strings(access.advice().into_iter()),
            )
        });
        let checks = kernel.checks.iter().map(|check| {
            let (place, kind, check) = (self.place(check.span), quoted(check.kind), quoted(check.check.text()));
            format!("{{{place}, \"kind\": {kind}, \"check\": {check}}}")
        });
        let branches = kernel.branches.iter().map(|branch| {
            let (how, lanes) = match branch.divergence {
                Divergence::Edge => ("edge", None),
                Divergence::Lanes { taken, of } => ("lanes", Some((taken, of))),
                Divergence::Thread => ("thread", None),
                Divergence::Data => ("data", None),
            };
            let lanes = lanes.map(|(taken, of)| format!(", \"taken\": {taken}, \"lanes\": {of}"));
            let advice = branch.divergence.advice().map(str::to_owned);
            format!(
                "{{{}, \"loop\": {}, \"divergence\": \"{how}\"{}, \"advice\": {}}}",
                self.place(branch.span),
                branch.is_loop,
                lanes.unwrap_or_default(),
                strings(advice.into_iter()),
            )
        });
        let fields = [
            format!("\"kernel\": {}", quoted(&self.name)),
            self.place(kernel.span),
            format!("\"block\": [{x}, {y}, {z}]"),
            format!("\"entry\": {}", quoted(&kernel.entry)),
            format!("\"conditions\": {}", strings(kernel.conditions.iter().cloned())),
            format!(
                "\"refused\": {}",
                kernel.refused.as_deref().map_or("null".to_owned(), quoted)
            ),
            format!("\"code\": {}", self.code()),
            format!("\"accesses\": {}", list(&format!("{indent}  "), accesses.collect())),
            format!("\"checks\": {}", list(&format!("{indent}  "), checks.collect())),
            format!("\"branches\": {}", list(&format!("{indent}  "), branches.collect())),
        ];
        format!("{{\n{indent}  {}\n{indent}}}", fields.join(&format!(",\n{indent}  ")))
    }

    fn place(&self, span: Span) -> String {
        let file = self.files.get(span.file as usize).map_or("", String::as_str);
        let Span { line, column, .. } = span;
        format!("\"file\": {}, \"line\": {line}, \"column\": {column}", quoted(file))
    }

    fn code(&self) -> String {
        match &self.code {
            Code::Elsewhere => "null".to_owned(),
            Code::Missing(reason) => format!("{{\"reason\": {}}}", quoted(reason)),
            Code::Assembled { target, resources } => {
                let threads = self.kernel.block.iter().product();
                format!("{{\"target\": \"{target}\", {}}}", resources.json(*target, threads))
            }
        }
    }
}

fn pattern(pattern: &Pattern) -> String {
    let number = |number: Option<u32>| number.map_or("null".to_owned(), |number| number.to_string());
    match pattern {
        Pattern::Uniform => "\"pattern\": \"uniform\"".to_owned(),
        Pattern::Coalesced { sectors } => format!("\"pattern\": \"coalesced\", \"sectors\": {sectors}"),
        Pattern::Strided { bytes, times, sectors } => {
            let times = times.as_deref().map_or("null".to_owned(), quoted);
            format!(
                "\"pattern\": \"strided\", \"sectors\": {sectors}, \"stride_bytes\": {bytes}, \"stride_times\": {times}"
            )
        }
        Pattern::Irregular { sectors } => format!("\"pattern\": \"irregular\", \"sectors\": {sectors}"),
        Pattern::Scattered { by_data } => format!("\"pattern\": \"scattered\", \"by_data\": {by_data}"),
        Pattern::Banks { degree, padded } => format!(
            "\"pattern\": \"banks\", \"conflict_degree\": {degree}, \"padded_degree\": {}",
            number(*padded)
        ),
        Pattern::UnknownBanks { by_data } => format!("\"pattern\": \"unknown_banks\", \"by_data\": {by_data}"),
        Pattern::Private => "\"pattern\": null".to_owned(),
    }
}

fn strings(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.map(|text| quoted(&text)).collect();
    format!("[{}]", texts.join(", "))
}

/// A string of JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        // Writing to a string does not fail.
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            c if u32::from(c) < 0x20 => write!(out, "\\u{:04x}", u32::from(c)),
            c => write!(out, "{c}"),
        };
    }
    out + "\""
}
