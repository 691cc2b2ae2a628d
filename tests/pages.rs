//! The pages of the repository: their links, the chapters of the book, and the chapters that are generated.
//! The programs of the pages are doc tests of three crates, listed at the end of each `src/lib.rs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[path = "pages/items.rs"]
mod items;
#[path = "pages/speed_bars.rs"]
mod speed_bars;

const BOOK: &str = "docs/book/src";
const CODES: &str = "vyre-front/src/errors/codes";

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.replace("\r\n", "\n")
}

/// The Markdown files of a folder and of those in it.
fn markdown(folder: &str) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![PathBuf::from(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                None => folders.push(path),
                Some(extension) if extension == "md" => files.push(path),
                Some(_) => {}
            }
        }
    }
    files.sort();
    files
}

/// The chapters of the book with their paths from its `src`.
fn chapters() -> Vec<(String, String)> {
    LazyLock::force(&ERROR_CHAPTERS);
    let name = |path: &Path| path.strip_prefix(BOOK).unwrap().to_str().unwrap().replace('\\', "/");
    let is_chapter = |name: &String| name != "SUMMARY.md" && !name.starts_with("images/");
    let files = markdown(BOOK).into_iter();
    let named = files.map(|path| (name(&path), read(&path)));
    named.filter(|(name, _)| is_chapter(name)).collect()
}

/// The lines outside of blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// The targets of links, without those in spans of code.
fn links(text: &str) -> Vec<&str> {
    prose(text)
        .flat_map(|line| line.split("](").skip(1).filter_map(|rest| rest.split(')').next()))
        .collect()
}

/// The anchors of headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings
        .map(|heading| anchor(heading.trim_start_matches('#')))
        .collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading
        .trim()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn relative_links_lead_to_files_and_headings() {
    LazyLock::force(&ERROR_CHAPTERS);
    let mut pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
        .map(PathBuf::from)
        .to_vec();
    pages.extend(markdown("docs"));
    let mut known = 0;
    for page in pages {
        let text = read(&page);
        for target in links(&text) {
            if target.starts_with("http") || target.ends_with("NAME.png") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(file.exists(), "{}: {target}", page.display());
            if !heading.is_empty() {
                assert!(anchors(&read(&file)).contains(heading), "{}: {target}", page.display());
            }
            if page.starts_with(BOOK) {
                let inside = file.canonicalize().unwrap();
                assert!(
                    inside.starts_with(Path::new(BOOK).canonicalize().unwrap()),
                    "{}: {target} is outside of the book, which is also read without the repository",
                    page.display()
                );
            }
            known += 1;
        }
    }
    assert!(known > 100, "only {known} links were found");
}

#[test]
fn chapters_that_the_crate_page_names_exist() {
    let text = read("src/lib.rs");
    let page = text.lines().filter_map(|line| line.strip_prefix("//!"));
    let names = page
        .flat_map(|line| line.split('`'))
        .filter(|name| name.ends_with(".md"));
    let mut known = 0;
    for name in names {
        assert!(Path::new(BOOK).join(name).exists(), "src/lib.rs: {name}");
        known += 1;
    }
    assert!(known > 15, "only {known} chapters were found");
}

#[test]
fn the_summary_lists_every_chapter() {
    let summary = read(Path::new(BOOK).join("SUMMARY.md"));
    let mut listed: Vec<_> = links(&summary);
    listed.sort_unstable();
    let chapters = chapters();
    let there: Vec<_> = chapters.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(listed, there);
}

#[test]
fn chapters_are_short() {
    for (name, text) in chapters() {
        let lines = text.lines().count();
        assert!(lines <= 300, "{name} has {lines} lines: split it");
    }
}

/// Every block of Rust is a doc test. A block below a comment that names a file is a part of that file.
#[test]
fn programs_are_tests() {
    let crates = ["src/lib.rs", "vyre-primitives/src/lib.rs", "vyre-many/src/lib.rs"].map(read);
    for (name, text) in chapters() {
        // Unit tests of `vyre-front` and `ui-tests` compile the examples of codes.
        if name.starts_with("errors/") {
            continue;
        }
        let mut runs = false;
        let blocks: Vec<&str> = text.split("\n```").collect();
        for pair in blocks.chunks(2) {
            let (before, Some(block)) = (pair[0], pair.get(1)) else {
                continue;
            };
            let (language, content) = block.split_once('\n').unwrap();
            let above = before.lines().last().unwrap_or_default();
            let file = above
                .strip_prefix("<!-- file: ")
                .and_then(|rest| rest.strip_suffix(" -->"));
            if let Some(file) = file {
                assert!(
                    read(file).contains(content),
                    "{name}: {file} does not contain\n{content}"
                );
            }
            match language {
                "rust" | "rust,no_run" | "rust,compile_fail" => runs = true,
                "rust,ignore" => assert!(file.is_some(), "{name}: no file is named above\n{content}"),
                "sh" | "toml" | "text" => {}
                _ => panic!("{name}: a block of `{language}`"),
            }
        }
        let include = format!("../{BOOK}/{name}\"");
        let listed = crates.iter().filter(|tests| tests.contains(&include)).count();
        assert_eq!(listed, usize::from(runs), "one crate lists {name} if it has programs");
    }
}

/// The chapters of error codes: their file, their title, and the last code of each.
const ERRORS: &[(&str, &str, &str)] = &[
    ("v01.md", "V01: attribute and options", "V0113"),
    ("v01-denied.md", "V01: denied checks and races", "V0199"),
    ("v02-kernels.md", "V02: signatures of kernels", "V0213"),
    (
        "v02-functions.md",
        "V02: device functions, generics and launches",
        "V0299",
    ),
    ("v03-types.md", "V03: types", "V0309"),
    ("v03-structs.md", "V03: structs, enums and layouts", "V0399"),
    ("v04-constants.md", "V04: constants and names", "V0409"),
    ("v04-items.md", "V04: macros and items", "V0499"),
    ("v05-expressions.md", "V05: expressions and references", "V0507"),
    ("v05-values.md", "V05: assignments, comparisons and fields", "V0599"),
    ("v06.md", "V06: statements and control flow", "V0699"),
    ("v07-functions.md", "V07: functions and methods", "V0707"),
    ("v07-macros.md", "V07: macros, messages and marks", "V0716"),
    ("v07-warps.md", "V07: warps, tensor cores and traits", "V0799"),
    ("v08.md", "V08: shared memory, atomics and clusters", "V0899"),
    ("v09.md", "V09: limits and bugs of the compiler", "V0999"),
];

const INDEX: &str = "# Error codes

Every diagnostic of vyre begins with a code and ends with an alternative that works:

```text
error: V0203: a kernel returns nothing
       help: write results through a `&mut [T]` parameter
```

A code stands for one kind of mistake and keeps its meaning in later versions. Each has a wrong and a right
example; tests compile both. Type mismatches, borrow errors and unresolved names have no code of vyre: rustc
reports them [in its own words](rustc.md).

| code | meaning |
|---|---|
";

/// The differences of the chapters of error codes from the files of the codes. `VYRE_BLESS=1` writes the chapters,
/// so every test that reads the book waits for this.
static ERROR_CHAPTERS: LazyLock<Vec<String>> = LazyLock::new(differing_chapters);

#[test]
fn chapters_of_errors_are_those_of_the_codes() {
    assert!(ERROR_CHAPTERS.is_empty(), "{}", ERROR_CHAPTERS.join("\n"));
}

fn differing_chapters() -> Vec<String> {
    // Code, title and text of each file, whose first line is the heading.
    let files = markdown(CODES).into_iter();
    let codes: Vec<(String, String, String)> = files
        .map(|file| {
            let text = read(&file);
            let (heading, text) = text.split_once('\n').unwrap();
            let (code, title) = heading.trim_start_matches("# ").split_once(": ").unwrap();
            (code.to_owned(), title.to_owned(), text.to_owned())
        })
        .collect();
    let chapter = |code: &str| ERRORS.iter().find(|(_, _, last)| code <= *last).unwrap().0;
    let address = |code: &str, title: &str| format!("{}#{}", chapter(code), anchor(&format!("{code}: {title}")));

    let mut index = INDEX.to_owned();
    for (code, title, _) in &codes {
        index += &format!("| [{code}]({}) | {title} |\n", address(code, title));
    }
    let mut differing = Vec::new();
    let mut compare = |name: &str, text: &str| {
        let file = Path::new(BOOK).join("errors").join(name);
        differing.extend(vyre_test_support::snapshot::compare(&file, text).err());
    };
    compare("index.md", &index);
    for (name, title, _) in ERRORS {
        let mut text = format!("# {title}\n");
        for (code, title, section) in codes.iter().filter(|(code, ..)| chapter(code) == *name) {
            text += &format!("\n## {code}: {title}\n{section}");
        }
        // Files of codes name each other.
        for (code, title, _) in &codes {
            text = text.replace(&format!("]({code}.md)"), &format!("]({})", address(code, title)));
        }
        compare(name, &text);
    }
    differing
}

#[test]
fn folders_of_the_architecture_exist() {
    let text = read("docs/architecture.md");
    let mut package = String::new();
    let mut known = 0;
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            package = heading.split(':').next().unwrap_or("").to_owned();
        }
        // Items of the list of a package begin with the names of files and folders.
        let Some(point) = line.strip_prefix("- **`") else {
            continue;
        };
        let names = point.split("**").next().unwrap_or("");
        for name in names.split(", ").map(|name| name.trim_matches('`')) {
            let path = Path::new(&package).join("src").join(name);
            assert!(
                path.exists() || path.with_extension("rs").exists(),
                "{} does not exist",
                path.display()
            );
            known += 1;
        }
    }
    assert!(known > 15, "only {known} names were found");
}
