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

use vyre::check::Kind;
use vyre::prelude::*;

/// A row of the table.
#[derive(Debug)]
pub struct Fault {
    /// Its name.
    pub name: &'static str,
    /// The expected content of a report.
    pub kind: Kind,
    /// Runs the kernel, with the fault or without.
    pub run: fn(&Device, bool) -> vyre::Result<()>,
    /// The file of the kernel.
    pub file: &'static str,
    text: &'static str,
}

/// Rows of a file: `name: Kind`, each with a function of that name.
macro_rules! faults {
    ($text:literal $($name:ident: $kind:ident)*) => {
        /// The faults of this file.
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
use faults;

/// The faults that one launch shows.
pub fn all() -> Vec<Fault> {
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

/// The faults that two orders of the threads show.
pub fn of_order() -> Vec<Fault> {
    order::faults()
}

/// The races in shared memory that `racecheck` of `compute-sanitizer` knows: of plain accesses, by barriers of the block.
pub fn of_racecheck() -> Vec<Fault> {
    let unknown = ["pivots", "row_of_a_matrix", "rods", "full_tile"];
    let mut faults = shared::faults();
    faults.extend(tiles::faults());
    faults.extend(halves::faults().into_iter().filter(|fault| fault.name == "flags"));
    faults.retain(|fault| !unknown.contains(&fault.name));
    faults
}

/// The reads of memory without values that `initcheck` knows: those of global memory.
pub fn of_initcheck() -> Vec<Fault> {
    let mut faults = memory::faults();
    faults.retain(|fault| fault.name == "counts");
    faults
}

impl Fault {
    /// The lines with its mark.
    pub fn lines(&self) -> BTreeSet<u32> {
        let mark = format!("//~ {}", self.name);
        let is_marked = |line: &str| line.split("//~").skip(1).any(|name| name.trim() == self.name);
        let lines = (1..).zip(self.text.lines()).filter(|(_, line)| is_marked(line));
        let lines: BTreeSet<u32> = lines.map(|(number, _)| number).collect();
        assert!(!lines.is_empty(), "no line has `{mark}`");
        lines
    }
}
