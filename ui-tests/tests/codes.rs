//! Every code of vyre's has a case that shows what it says.
//!
//! `cases/` has what rustc shows of kernels, and `build-cases/` what a build script prints: they are compared by
//! `tests/ui.rs` and by the unit tests of `vyre_build::compile`.

use std::path::Path;

/// Codes that no kernel deserves: the unit test `bugs_are_said_as_the_page_says` of `vyre-build` has them.
const BUGS: [&str; 2] = ["V0902", "V0903"];

/// Codes that take rustc, whose examples the unit tests of `vyre-build` cannot try.
const TAKES_RUSTC: [&str; 4] = ["V0218", "V0219", "V0409", "V0413"];

fn read(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.replace("\r\n", "\n")
}

/// The text of a section of `docs/errors.md` by its code.
fn sections(page: &str) -> Vec<(&str, &str)> {
    let sections = page.split("\n### ").skip(1);
    sections.filter_map(|section| section.split_once(": ")).collect()
}

/// The program after `Wrong:` or `Right:`.
fn example<'a>(section: &'a str, label: &str) -> &'a str {
    let rest = section
        .split_once(&format!("\n{label}:\n\n```rust\n"))
        .map(|(_, rest)| rest);
    let program = rest.and_then(|rest| rest.split_once("\n```"));
    program.unwrap_or_else(|| panic!("no example in {section}")).0
}

/// The source and the output of every case.
fn cases() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("cases"), root.join("build-cases")];
    let mut cases = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension().and_then(|extension| extension.to_str()) {
                None => folders.push(path),
                Some("rs") => cases.push((read(&path), read(&path.with_extension("stderr")))),
                Some(_) => {}
            }
        }
    }
    cases
}

#[test]
fn every_code_has_a_case() {
    let page = read(Path::new("../docs/errors.md"));
    let cases = cases();
    let mut without = Vec::new();
    for (code, _) in sections(&page) {
        // As rustc shows a diagnostic of vyre's, or of a trait of vyre's.
        let said = format!("{code}: ");
        if !BUGS.contains(&code) && !cases.iter().any(|(_, output)| output.contains(&said)) {
            without.push(code);
        }
    }
    assert_eq!(without, [""; 0]);
    assert!(sections(&page).len() > 100, "the page has all sections");
}

/// `tests/right.rs` has the right ones.
#[test]
fn wrong_examples_that_take_rustc_are_cases() {
    let (page, cases) = (read(Path::new("../docs/errors.md")), cases());
    let mut known = 0;
    for (code, section) in sections(&page) {
        if !TAKES_RUSTC.contains(&code) {
            continue;
        }
        let (wrong, said) = (example(section, "Wrong"), format!("{code}: "));
        let is_case = |(source, output): &(String, String)| source.contains(wrong) && output.contains(&said);
        assert!(cases.iter().any(is_case), "no case has the wrong example of {code}");
        known += 1;
    }
    assert_eq!(known, TAKES_RUSTC.len());
}
