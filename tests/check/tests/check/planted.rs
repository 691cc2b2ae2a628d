//! The table of planted faults: kernels, most of them of the examples and of `tests/algorithms`, with one line changed. Each
//! kernel has both forms, by its last parameter: with the fault, which checking mode finds, and without, which is clean.
//!
//! The lines that a report has to name end in a comment `//~` with the name of the fault.

mod blocks;
mod copies;
mod halves;
mod memory;
mod order;
mod shared;
mod tiles;
mod waits;

use std::collections::BTreeSet;

use vyre::Error;
use vyre::check::{Kind, Report};
use vyre::prelude::*;

/// A row of the table.
struct Fault {
    name: &'static str,
    kind: Kind,
    /// Runs the kernel, with the fault or without.
    run: fn(&Device, bool) -> vyre::Result<()>,
    /// The file of the kernel, and its text.
    file: &'static str,
    text: &'static str,
}

/// Rows of a file: `name: Kind`, each with a function of that name.
macro_rules! faults {
    ($text:literal $($name:ident: $kind:ident)*) => {
        pub(super) fn faults() -> Vec<super::Fault> {
            vec![$(super::Fault {
                name: stringify!($name),
                kind: vyre::check::Kind::$kind,
                run: $name,
                file: file!(),
                text: include_str!($text),
            }),*]
        }
    };
}
pub(super) use faults;

fn all() -> Vec<Fault> {
    let parts = [
        shared::faults(),
        tiles::faults(),
        blocks::faults(),
        waits::faults(),
        memory::faults(),
        copies::faults(),
        halves::faults(),
    ];
    parts.into_iter().flatten().collect()
}

impl Fault {
    /// The lines with its mark.
    fn lines(&self) -> BTreeSet<u32> {
        let mark = format!("//~ {}", self.name);
        let is_marked = |line: &str| line.split("//~").skip(1).any(|name| name.trim() == self.name);
        let lines = (1..).zip(self.text.lines()).filter(|(_, line)| is_marked(line));
        let lines: BTreeSet<u32> = lines.map(|(number, _)| number).collect();
        assert!(!lines.is_empty(), "no line has `{mark}`");
        lines
    }

    /// True if the report is of this fault, and names its lines.
    fn is_found_by(&self, report: &Report) -> bool {
        let lines: BTreeSet<u32> = report
            .parties
            .iter()
            .map(|party| party.line)
            .filter(|&line| line != 0)
            .collect();
        let files = report.parties.iter().filter(|party| party.line != 0);
        report.kind == self.kind && lines == self.lines() && files.into_iter().all(|party| party.file == self.file)
    }

    /// The reason why it is not found.
    fn missed(&self, device: &Device) -> Option<String> {
        let error = match (self.run)(device, true) {
            Err(Error::Check(found)) => found,
            other => return Some(format!("`{}`: nothing was found, but {other:?}", self.name)),
        };
        // A race has two parties, each with its place.
        for report in &error.reports {
            if matches!(
                report.kind,
                Kind::Race | Kind::MixedRace | Kind::ScopeRace | Kind::CopyRace
            ) {
                assert!(
                    report.parties.len() == 2 && report.parties.iter().all(|party| party.line != 0),
                    "{report}"
                );
            }
        }
        let is_found = error.reports.iter().any(|report| self.is_found_by(report));
        (!is_found).then(|| format!("`{}` at {:?} was not found, but\n{error}", self.name, self.lines()))
    }

    fn is_clean_without(&self, device: &Device) {
        (self.run)(device, false).unwrap_or_else(|error| panic!("`{}` without the fault: {error}", self.name));
    }
}

/// Each launch has an order of its own, so a fault that was found by chance is missed in some run.
const RUNS: usize = 3;

fn are_found(faults: &[Fault]) {
    let device = Device::checked();
    let missed: Vec<String> = faults
        .iter()
        .filter_map(|fault| (0..RUNS).find_map(|_| fault.missed(&device)))
        .collect();
    assert!(
        missed.is_empty(),
        "{} of {}:\n{}",
        missed.len(),
        faults.len(),
        missed.join("\n")
    );
}

#[test]
fn planted_faults_are_found() {
    let _alone = crate::alone();
    are_found(&all());
}

#[test]
fn repaired_twins_are_clean() {
    let _alone = crate::alone();
    for fault in all() {
        for _ in 0..RUNS {
            fault.is_clean_without(&Device::checked());
        }
        // The kernels are sound elsewhere too.
        fault.is_clean_without(&Device::cpu());
    }
}

#[test]
fn the_table_is_large() {
    let names: BTreeSet<&str> = all().iter().chain(&order::faults()).map(|fault| fault.name).collect();
    assert!(names.len() >= 40, "{} faults", names.len());
    assert_eq!(
        names.len(),
        all().len() + order::faults().len(),
        "each has a name of its own"
    );
}

#[test]
#[ignore = "for a process that compares two orders"]
fn results_that_depend_on_the_order() {
    are_found(&order::faults());
    for fault in order::faults() {
        for _ in 0..RUNS {
            fault.is_clean_without(&Device::checked());
        }
    }
}

#[test]
fn two_orders_find_what_depends_on_them() {
    let test = "planted::results_that_depend_on_the_order";
    super::environment::child(test, &[("VYRE_CHECK", "order")]);
}
