//! The text of a table, and comparison of two.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Formatter, Write};

use super::{Counts, TARGET};
use crate::ptxas;

/// The numeric columns; `accesses` follows.
const COLUMNS: [&str; PTX_COLUMNS + MACHINE_COLUMNS] = [
    "ptx",
    "cold",
    "checks",
    "sites",
    "sass",
    "registers",
    "spilled",
    "stack",
    "shared",
];

/// Number of columns about PTX.
const PTX_COLUMNS: usize = 4;

/// Number of columns about machine code.
pub(super) const MACHINE_COLUMNS: usize = 5;

/// A line: the numbers, `None` without ptxas, and the accesses.
struct Row {
    numbers: [Option<u64>; COLUMNS.len()],
    accesses: String,
}

/// Rows by the name of their kernel.
pub(super) struct Table(BTreeMap<String, Row>);

impl Table {
    pub(super) fn new(kernels: BTreeMap<String, Counts>) -> Table {
        Table(
            kernels
                .into_iter()
                .map(|(name, counts)| (name, Row::new(&counts)))
                .collect(),
        )
    }

    /// True if every row has counts of machine code.
    pub(super) fn is_complete(&self) -> bool {
        self.0.values().all(|row| row.numbers.iter().all(Option::is_some))
    }

    pub(super) fn parse(text: &str) -> Result<Table, String> {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let rows = lines.map(|line| Row::parse(line).ok_or_else(|| format!("`{line}` is no line of a table")));
        rows.collect::<Result<_, _>>().map(Table)
    }

    /// A line per kernel whose counts differ. Values missing on one side are not compared.
    pub(super) fn differences(&self, actual: &Table) -> String {
        let names: BTreeSet<&String> = self.0.keys().chain(actual.0.keys()).collect();
        let mut differences = String::new();
        for name in names {
            let difference = match (self.0.get(name), actual.0.get(name)) {
                (Some(_), None) => "stands in the table, and there is no such kernel".into(),
                (None, _) => "is not in the table".into(),
                (Some(old), Some(new)) => old.difference(new),
            };
            if !difference.is_empty() {
                let _ = writeln!(differences, "  {name}: {difference}");
            }
        }
        differences
    }
}

impl Row {
    fn new(counts: &Counts) -> Row {
        let ptx = &counts.ptx;
        let mut numbers = [None; COLUMNS.len()];
        numbers[..PTX_COLUMNS].copy_from_slice(&[ptx.instructions, ptx.cold, ptx.checks, ptx.sites].map(Some));
        if let Some(machine) = counts.machine {
            numbers[PTX_COLUMNS..].copy_from_slice(&machine.map(Some));
        }
        let accesses: Vec<String> = ptx
            .accesses
            .iter()
            .map(|((name, bits), count)| format!("{count} {name}:{bits}"))
            .collect();
        Row {
            numbers,
            accesses: accesses.join(", "),
        }
    }

    fn parse(line: &str) -> Option<(String, Row)> {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        let mut numbers = [None; COLUMNS.len()];
        for number in &mut numbers {
            *number = Some(words.next()?.parse().ok()?);
        }
        let accesses = words.collect::<Vec<_>>().join(" ");
        Some((name, Row { numbers, accesses }))
    }

    fn difference(&self, new: &Row) -> String {
        let mut parts = Vec::new();
        for (column, (old, new)) in COLUMNS.iter().zip(self.numbers.iter().zip(&new.numbers)) {
            if let (Some(old), Some(new)) = (old, new)
                && old != new
            {
                let percent = (*new as f64 / *old as f64 - 1.0) * 100.0;
                let percent = if *old == 0 {
                    String::new()
                } else {
                    format!(" ({percent:+.1} %)")
                };
                parts.push(format!("{column} {old} -> {new}{percent}"));
            }
        }
        if self.accesses != new.accesses {
            parts.push(format!("accesses [{}] -> [{}]", self.accesses, new.accesses));
        }
        parts.join(", ")
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let width = self.0.keys().map(String::len).max().unwrap_or(0);
        writeln!(
            f,
            "# ptxas {}, {TARGET} or the target that a kernel needs",
            ptxas::pinned_version()
        )?;
        writeln!(f, "#{:1$} {2} accesses", "", width - 1, COLUMNS.join(" "))?;
        for (name, row) in &self.0 {
            write!(f, "{name:width$}")?;
            for (column, number) in COLUMNS.iter().zip(row.numbers) {
                write!(f, " {:>1$}", number.unwrap_or(0), column.len())?;
            }
            // No space at the end of a line.
            let gap = if row.accesses.is_empty() { "" } else { " " };
            writeln!(f, "{gap}{}", row.accesses)?;
        }
        Ok(())
    }
}
