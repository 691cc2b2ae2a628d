//! Tests of single passes: each `.ssa` file in a folder beside this one holds a graph and what passes make of it.
//!
//! The first line names the passes, `// pass: gvn` or `// pass: unroll, mem2reg`; the graph follows, then the
//! line `// after:` and the expected graph. The rules of the graph are checked before and after. `VYRE_BLESS=1` writes
//! the expectations anew. The text is that of dumps (`vyre show --ssa`), from which cases can be cut.

mod round_trip;

use std::path::{Path, PathBuf};

use vyre_core::inspect::{PASSES, run_passes};
use vyre_test_support::snapshot;

/// Separates a graph from the expectation.
const SEPARATOR: &str = "\n// after:\n";

#[test]
fn cases_are_as_expected() {
    let mut wrong = Vec::new();
    for file in cases() {
        if let Err(error) = run(&file) {
            wrong.push(error);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_pass_has_a_case() {
    let cases = cases();
    for pass in PASSES {
        let folder = Path::new("tests/passes").join(pass);
        assert!(
            cases.iter().any(|case| case.starts_with(&folder)),
            "{} has no case",
            folder.display()
        );
    }
}

#[test]
fn an_unknown_pass_is_named() {
    let error = run_passes("b0():\nreturn", &["gnv"]).unwrap_err();
    assert!(error.starts_with("no pass `gnv`; there are simplify_cfg, "), "{error}");
}

fn run(file: &Path) -> Result<(), String> {
    let error = |error: String| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(|e| error(e.to_string()))?;
    let text = text.replace("\r\n", "\n");
    let before = text.split(SEPARATOR).next().unwrap_or_default().trim_end();
    let passes = before.lines().next().and_then(|line| line.strip_prefix("// pass: "));
    let passes = passes.ok_or_else(|| error("the first line is not `// pass: NAME`".to_owned()))?;
    let passes: Vec<&str> = passes.split(", ").collect();
    let after = run_passes(before, &passes).map_err(error)?;
    snapshot::compare(file, &format!("{before}\n{SEPARATOR}\n{after}"))
}

/// All files of cases, sorted.
fn cases() -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from("tests/passes")];
    let mut cases = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ssa") {
                cases.push(path);
            }
        }
    }
    cases.sort();
    cases
}
