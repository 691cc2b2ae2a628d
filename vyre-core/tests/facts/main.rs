//! Tests of the analyses: each `.ssa` file beside this one holds a graph and what is known of it.
//!
//! The graph comes first, then the line `// facts:` and what the printer of facts says. `VYRE_BLESS=1` writes the
//! expectations anew; a fact that is gone is a regression, one that is new must be true.

use std::path::{Path, PathBuf};

use vyre_core::inspect::facts;
use vyre_test_support::snapshot;

/// Stands between a graph and the expectation.
const SEPARATOR: &str = "\n// facts:\n";

#[test]
fn cases_are_as_expected() {
    let mut files: Vec<PathBuf> = std::fs::read_dir("tests/facts")
        .expect("the cases are there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "ssa"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let wrong: Vec<String> = files.iter().filter_map(|file| run(file).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn run(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let text = text.replace("\r\n", "\n");
    let graph = text.split(SEPARATOR).next().unwrap_or_default().trim_end();
    let known = facts(graph).map_err(|error| format!("{}: {error}", file.display()))?;
    snapshot::compare(file, &format!("{graph}\n{SEPARATOR}\n{known}"))
}
