//! Tables of counts: the size of each kernel's PTX and machine code.
//!
//! A table is a text file in the tree with a line per kernel. Tests compare it with the current
//! compiler's output, and `VYRE_BLESS=1` rewrites it; `scripts/counts REVISION` shows the changes
//! since a revision. The columns:
//!
//! | column      | meaning                                                                          |
//! |-------------|----------------------------------------------------------------------------------|
//! | `ptx`       | PTX instructions, without the cold end that reports faults                       |
//! | `cold`      | PTX instructions of that end                                                     |
//! | `checks`    | branches to the cold end; guards that stand together share one                   |
//! | `sites`     | guards that are left: places at which the kernel can still fault                 |
//! | `sass`      | machine instructions, `NOP` excepted                                             |
//! | `registers` | registers of a thread                                                            |
//! | `spilled`   | bytes of the stores and loads of spilled registers                               |
//! | `stack`     | bytes of a thread's stack frame                                                  |
//! | `shared`    | bytes of static shared memory                                                    |
//! | `accesses`  | loads, stores and atomics outside the cold end, by state space and width in bits |
//!
//! The machine code is from ptxas [`ptxas::pinned_version`] for `sm_90`, or for the oldest newer
//! target that a kernel requires. Its columns are not compared if that version is not available.

mod cubin;
mod ptx;
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use crate::ptxas;
use table::{MACHINE_COLUMNS, Table};

/// The target whose machine code is counted.
const TARGET: &str = "sm_90";

/// The counts of one kernel. Those of its machine code are missing if it was not assembled.
struct Counts {
    ptx: ptx::Counts,
    machine: Option<[u64; MACHINE_COLUMNS]>,
}

/// PTX whose kernels are counted.
pub struct Module<'a> {
    /// The prefix of the names of its kernels: a package and a module.
    pub path: String,
    /// The text.
    pub ptx: &'a str,
}

/// Assembles modules for every target on which they run and compares the counts of their kernels
/// with the table in `file`; with `VYRE_BLESS=1`, writes the table.
///
/// # Errors
/// The errors of ptxas, or the kernels whose counts differ.
///
/// # Panics
/// If there is no ptxas and `CI` or `VYRE_REQUIRE_PTXAS` demands one.
pub fn check(file: &Path, modules: &[Module<'_>]) -> Result<(), String> {
    let actual = count(modules)?;
    if crate::snapshot::is_blessing() {
        return match actual.is_complete() {
            true => crate::snapshot::compare(file, &actual.to_string()),
            false => Err(format!(
                "{}: the table needs ptxas {}, which scripts/ptxas installs",
                file.display(),
                ptxas::pinned_version()
            )),
        };
    }
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let expected = Table::parse(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let differences = expected.differences(&actual);
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} differs; VYRE_BLESS=1 accepts the change\n{differences}",
        file.display()
    ))
}

/// Counts the kernels of modules.
fn count(modules: &[Module<'_>]) -> Result<Table, String> {
    let named: Vec<(String, String)> = modules
        .iter()
        .map(|module| (module.path.clone(), module.ptx.to_owned()))
        .collect();
    let assembled = match ptxas::find() {
        Some(ptxas) => {
            let assembled = ptxas::assemble_all(ptxas, &named, &ptxas::TARGETS)?;
            if ptxas::is_pinned(ptxas) { Some(assembled) } else { None }
        }
        None => {
            println!("SKIP-PTXAS {} modules", modules.len());
            None
        }
    };
    let mut rows = BTreeMap::new();
    for (number, module) in modules.iter().enumerate() {
        let machine = assembled.as_ref().and_then(|assembled| {
            let mut targets = ptxas::TARGETS.iter().zip(&assembled[number]);
            let (_, code) =
                targets.find(|(target, code)| ptxas::number(target) >= ptxas::number(TARGET) && code.is_some())?;
            code.as_ref()
        });
        for (kernel, ptx) in ptx::count(module.ptx) {
            let machine = machine.map(|code| cubin::count(code, kernel)).transpose()?;
            let name = format!("{}/{kernel}", module.path);
            if rows.insert(name.clone(), Counts { ptx, machine }).is_some() {
                return Err(format!("two kernels are called `{name}`"));
            }
        }
    }
    Ok(Table::new(rows))
}

#[cfg(test)]
mod tests;
