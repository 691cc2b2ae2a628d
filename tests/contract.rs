//! `docs/contract.md`, held against the code that it speaks of.

/// The names of the earlier system, by the titles under which they stand.
const NAMES: &str = include_str!("contract/names.txt");

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The cells of the tables' rows.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.map(|row| row.split(" | ").collect()).collect()
}

/// The spans of code of a text.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_name_has_one_row() {
    let contract = read("docs/contract.md");
    let mut looked_up = 0;
    for part in NAMES.split("## ").skip(1) {
        let (title, names) = part.split_once('\n').unwrap();
        let (_, section) = contract.split_once(&format!("\n## {title}\n")).unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        let rows = rows(section);
        for name in names.split_whitespace() {
            let is_named = |row: &&Vec<&str>| code(row[0]).any(|other| other == name);
            let found = rows.iter().filter(is_named).count();
            assert_eq!(found, 1, "`{name}` stands in {found} rows of \"{title}\"");
            looked_up += 1;
        }
    }
    assert_eq!(looked_up, 134, "no name is lost");
}

/// The tests that the table names exist, in the files that it names.
#[test]
fn the_tests_of_the_contract_exist() {
    let contract = read("docs/contract.md");
    let files = [
        ("queries", "vyre-runtime/tests/queries.rs"),
        ("played", "vyre-runtime/tests/played/driver.rs"),
        ("profile", "vyre-runtime/src/profile/tests.rs"),
        ("support", "vyre-runtime/src/device/support/tests.rs"),
        ("stats", "vyre-runtime/tests/stats.rs"),
        ("machine_code", "vyre-runtime/tests/played/machine_code.rs"),
        ("events", "vyre-runtime/tests/events.rs"),
        ("life", "vyre-runtime/tests/life.rs"),
        ("handles", "vyre-runtime/tests/handles.rs"),
        ("pinned", "vyre-runtime/tests/played/pinned.rs"),
        ("spans", "vyre-runtime/tests/played/spans.rs"),
        ("peers", "vyre-runtime/tests/played/peers.rs"),
        ("audit", "vyre-runtime/src/stats/tests.rs"),
        ("programs", "vyre-runtime/tests/programs.rs"),
        ("played programs", "vyre-runtime/tests/played/programs.rs"),
        ("sequences", "vyre-runtime/tests/sequences.rs"),
        ("played sequences", "vyre-runtime/tests/played/sequences.rs"),
        ("config", "vyre-runtime/tests/config.rs"),
        ("pending", "vyre-runtime/tests/pending.rs"),
        ("played pending", "vyre-runtime/tests/played/pending.rs"),
        ("recorded calls", "vyre-runtime/tests/recorded_calls.rs"),
        ("played batches", "vyre-runtime/tests/played/batches.rs"),
        ("counted", "vyre-runtime/tests/counted.rs"),
        ("played versions", "vyre-runtime/tests/played/versions.rs"),
        ("recorded", "tests/primitives/tests/primitives/recorded.rs"),
        ("tasks", "tests/primitives/tests/primitives/tasks.rs"),
        ("selections", "tests/primitives/tests/primitives/select.rs"),
        ("collectives", "vyre-many/tests/many/collectives.rs"),
        ("launching", "tests/launching.rs"),
        ("ulp_budget", "tests/ulp_budget.rs"),
        ("buffers", "vyre-runtime/tests/buffers.rs"),
        ("failures", "vyre-runtime/tests/played/failures.rs"),
        ("old driver", "vyre-runtime/tests/played/old_driver.rs"),
        ("launches", "vyre-runtime/tests/launches.rs"),
        ("loading", "vyre-runtime/tests/played/loading.rs"),
        ("network", "vyre-build/src/compile/tests/network.rs"),
        ("drops", "vyre-runtime/tests/played/drops.rs"),
        ("memory", "vyre-runtime/tests/memory.rs"),
        ("machine code", "vyre-build/src/compile/tests/machine_code.rs"),
        ("graphs", "vyre-runtime/tests/graphs.rs"),
        ("played graphs", "vyre-runtime/tests/played/graphs.rs"),
        ("interop", "vyre-runtime/tests/played/interop.rs"),
        ("dlpack", "vyre-runtime/tests/dlpack.rs"),
        ("compile", "vyre-build/src/compile/tests.rs"),
        ("front programs", "vyre-build/src/compile/tests/programs.rs"),
        ("module names", "vyre-build/src/compile/module_name/tests.rs"),
        ("build script", "tests/build-script/src/lib.rs"),
        ("ui", "ui-tests/cases/launch"),
    ];
    let mut shown = 0;
    for row in rows(&contract) {
        for part in row.get(2).into_iter().flat_map(|cell| cell.split("; ")) {
            let Some((file, rest)) = part.split_once(": ") else {
                continue;
            };
            // Not a span of code that names a file.
            if file.contains('`') {
                continue;
            }
            let Some((_, path)) = files.iter().find(|(name, _)| *name == file) else {
                panic!("`{file}` names no file: {part}");
            };
            let is_folder = !path.ends_with(".rs");
            let source = if is_folder { String::new() } else { read(path) };
            for test in code(rest) {
                let is_there = match is_folder {
                    true => std::path::Path::new(path).join(format!("{test}.stderr")).is_file(),
                    false => source.contains(&format!("fn {test}()")),
                };
                assert!(is_there, "{path} has no test `{test}`");
                shown += 1;
            }
        }
    }
    assert!(shown > 20, "only {shown} tests were found in the table");
}

/// Each kind of bad input has an answer and a test.
#[test]
fn bad_input_has_an_answer() {
    let contract = read("docs/contract.md");
    let (_, section) = contract.split_once("## Bad input").unwrap();
    let mut topics = Vec::new();
    for row in &rows(section)[1..] {
        let [input, answer, shown] = row[..] else {
            panic!("{row:?}")
        };
        assert!(!answer.is_empty() && shown.contains(": `"), "{input}");
        topics.extend(input.strip_prefix("**").and_then(|rest| rest.split("**").next()));
    }
    let all = [
        "devices",
        "pipelines",
        "buffers",
        "sequences and graphs",
        "loading",
        "build",
        "interop",
    ];
    assert_eq!(topics, all);
}

/// Every field and metric has a row in the table.
#[test]
fn every_claim_of_a_profile_stands_in_the_contract() {
    let contract = read("docs/contract.md");
    let source = read("vyre-runtime/src/profile/mod.rs");
    let start = source.find("pub struct Profile {").unwrap();
    let body = &source[start..source[start..].find("\n}").unwrap() + start];
    let claims: Vec<&str> = body
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub ")?.strip_suffix(": bool,"))
        .collect();
    assert!(claims.len() >= 8, "{claims:?}");
    for claim in claims {
        assert!(contract.contains(&format!("`{claim}`")), "`{claim}` has no row");
    }
}

/// Each statistic has a row.
#[test]
fn every_metric_stands_in_the_contract() {
    let contract = read("docs/contract.md");
    for (name, _) in vyre::Device::cpu().stats().metrics() {
        assert!(contract.contains(&format!("`{name}`")), "`{name}` has no row");
    }
}
