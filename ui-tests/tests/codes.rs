//! Every code has a case that shows its message.
//!
//! `cases/` has the output of rustc for kernels, and `build-cases/` the output of a build script: `tests/ui` and the
//! unit tests of `vyre_build::compile` compare them.

use std::path::Path;

/// Codes of bugs in vyre: the unit test `messages_of_bugs_are_quoted` of `vyre-front` has them.
const BUGS: [&str; 2] = ["V0902", "V0903"];

/// Codes that rustc reports, so that the unit tests of `vyre-front` cannot try their examples.
const TAKES_RUSTC: [&str; 9] = [
    "V0218", "V0219", "V0220", "V0221", "V0409", "V0413", "V0416", "V0417", "V0418",
];

fn read(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.replace("\r\n", "\n")
}

/// Each code with the text of its file.
fn sections() -> Vec<(String, String)> {
    let files = std::fs::read_dir("../vyre-front/src/errors/codes").expect("a folder");
    let paths = files.map(|entry| entry.expect("an entry").path());
    let code = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.map(|path| (code(&path), read(&path))).collect()
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
    let (sections, cases) = (sections(), cases());
    let mut without = Vec::new();
    for (code, _) in &sections {
        // Also in the message of a trait of vyre's.
        let said = format!("{code}: ");
        if !BUGS.contains(&code.as_str()) && !cases.iter().any(|(_, output)| output.contains(&said)) {
            without.push(code);
        }
    }
    assert_eq!(without, [""; 0]);
    assert!(sections.len() > 100, "only {} codes", sections.len());
}

/// `tests/right.rs` has the right ones.
#[test]
fn wrong_examples_that_take_rustc_are_cases() {
    let cases = cases();
    let mut known = 0;
    for (code, section) in sections() {
        if !TAKES_RUSTC.contains(&code.as_str()) {
            continue;
        }
        let (wrong, said) = (example(&section, "Wrong"), format!("{code}: "));
        let is_case = |(source, output): &(String, String)| source.contains(wrong) && output.contains(&said);
        assert!(cases.iter().any(is_case), "no case has the wrong example of {code}");
        known += 1;
    }
    assert_eq!(known, TAKES_RUSTC.len());
}
