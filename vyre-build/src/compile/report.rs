//! Resources that machine code uses, as text for people and JSON for programs.

use std::fmt::Write;

use vyre_abi::target::Target;

use crate::report::json::{list, quoted};
use crate::report::resources::Resources;
use crate::report::{Report, source_line};

/// An entry of a kernel on an architecture.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) module: String,
    pub(super) kernel: String,
    pub(super) entry: String,
    pub(super) target: Target,
    /// Threads of a block.
    pub(super) threads: u32,
    pub(super) outcome: Result<Resources, String>,
}

/// The report for people: a table.
pub(super) fn text(rows: &[Row], assembler: &str, reports: &[Report]) -> String {
    let heads = [
        "kernel",
        "target",
        "registers",
        "shared",
        "spilled",
        "stack",
        "blocks",
        "occupancy",
        "bytes",
    ];
    let mut table = vec![heads.map(str::to_owned).to_vec()];
    for row in rows {
        let mut cells = vec![format!("{}: {}", row.module, row.entry), row.target.to_string()];
        match &row.outcome {
            Ok(it) => {
                let occupancy = it.occupancy(row.target, row.threads);
                let known = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
                cells.extend([
                    it.registers.to_string(),
                    it.shared.to_string(),
                    (it.spill_stores + it.spill_loads).to_string(),
                    it.stack.to_string(),
                    known(occupancy.map(|(blocks, _)| blocks.to_string())),
                    known(occupancy.map(|(_, percent)| format!("{percent} %"))),
                    it.bytes.to_string(),
                ]);
            }
            Err(reason) => cells.push(reason.clone()),
        }
        table.push(cells);
    }
    let width = |column: usize| {
        // A reason reaches over the columns.
        let full = table.iter().filter(|cells| column < 2 || cells.len() == heads.len());
        full.map(|cells| cells[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut out = format!("Machine code by {assembler}\n\n");
    for cells in &table {
        let is_reason = cells.len() < heads.len();
        let mut line = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let width = widths[column];
            let _ = match column {
                0 | 1 => write!(line, "{cell:width$}  "),
                _ if is_reason => write!(line, "{cell}"),
                _ => write!(line, "{cell:>width$}  "),
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out += "\nshared, stack and spilled are bytes: of a block, of a thread, stored and loaded by a thread. blocks run at a time \
            on a multiprocessor, and are so much of its threads.\n";
    for report in reports {
        out.push('\n');
        out += &report.text(&|file, line| source_line(None, file, line));
    }
    out
}

/// The report for programs.
pub(super) fn json(rows: &[Row], assembler: &str, reports: &[Report]) -> String {
    let mut out = format!(
        "{{\n  \"format\": 1,\n  \"assembler\": {},\n  \"kernels\": [",
        quoted(assembler)
    );
    for (number, row) in rows.iter().enumerate() {
        out.push_str(if number == 0 { "\n" } else { ",\n" });
        let _ = write!(
            out,
            "    {{\"module\": {}, \"kernel\": {}, \"entry\": {}, \"target\": \"{}\", \"block_threads\": {}, ",
            quoted(&row.module),
            quoted(&row.kernel),
            quoted(&row.entry),
            row.target,
            row.threads,
        );
        let _ = match &row.outcome {
            Ok(it) => write!(
                out,
                "{}, \"cubin_bytes\": {}}}",
                it.json(row.target, row.threads),
                it.bytes
            ),
            Err(reason) => write!(out, "\"reason\": {}}}", quoted(reason)),
        };
    }
    let reports = reports.iter().map(|report| report.json("    ")).collect();
    out + "\n  ],\n  \"reports\": " + &list("  ", reports) + "\n}\n"
}

#[cfg(test)]
mod tests;
