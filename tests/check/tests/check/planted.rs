//! The planted faults are found, each with its lines, and the repaired twins are clean.

use std::collections::BTreeSet;

use vyre::Error;
use vyre::check::{Kind, Report};
use vyre::prelude::*;
use vyre_check_tests::planted::{Fault, all, of_order};

/// True if the report is of this fault, and names its lines.
fn is_found_by(fault: &Fault, report: &Report) -> bool {
    let lines: BTreeSet<u32> = report
        .parties
        .iter()
        .map(|party| party.line)
        .filter(|&line| line != 0)
        .collect();
    let files = report.parties.iter().filter(|party| party.line != 0);
    report.kind == fault.kind && lines == fault.lines() && files.into_iter().all(|party| party.file == fault.file)
}

/// The reason why it is not found.
fn missed(fault: &Fault, device: &Device) -> Option<String> {
    let error = match (fault.run)(device, true) {
        Err(Error::Check(found)) => found,
        other => return Some(format!("`{}`: nothing was found, but {other:?}", fault.name)),
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
    let is_found = error.reports.iter().any(|report| is_found_by(fault, report));
    (!is_found).then(|| format!("`{}` at {:?} was not found, but\n{error}", fault.name, fault.lines()))
}

fn is_clean_without(fault: &Fault, device: &Device) {
    (fault.run)(device, false).unwrap_or_else(|error| panic!("`{}` without the fault: {error}", fault.name));
}

/// Each launch has an order of its own, so a fault that was found by chance is missed in some run.
const RUNS: usize = 3;

fn are_found(faults: &[Fault]) {
    let device = Device::checked();
    let missed: Vec<String> = faults
        .iter()
        .filter_map(|fault| (0..RUNS).find_map(|_| missed(fault, &device)))
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
            is_clean_without(&fault, &Device::checked());
        }
        // The kernels are sound elsewhere too.
        is_clean_without(&fault, &Device::cpu());
    }
}

#[test]
fn the_table_is_large() {
    let names: BTreeSet<&str> = all().iter().chain(&of_order()).map(|fault| fault.name).collect();
    assert!(names.len() >= 40, "{} faults", names.len());
    assert_eq!(
        names.len(),
        all().len() + of_order().len(),
        "each has a name of its own"
    );
}

#[test]
#[ignore = "for a process that compares two orders"]
fn results_that_depend_on_the_order() {
    are_found(&of_order());
    for fault in of_order() {
        for _ in 0..RUNS {
            is_clean_without(&fault, &Device::checked());
        }
    }
}

#[test]
fn two_orders_find_what_depends_on_them() {
    let test = "planted::results_that_depend_on_the_order";
    super::environment::child(test, &[("VYRE_CHECK", "order")]);
}
