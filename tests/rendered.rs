//! The pages that rustdoc has rendered, by `cargo doc --workspace`: they show nothing that is internal.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Crates whose pages users read, and two that stand for those of users.
const CRATES: [&str; 4] = ["vyre", "vyre_build", "vyre_functions", "vyre_test_build_script"];

/// Names of generated code.
const INTERNAL: [&str; 4] = ["__vyre", "__private", "V0721_", "'__"];

/// The folder with the pages, if rustdoc has made them since the sources were written. Otherwise standard error says so.
fn pages() -> Option<PathBuf> {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let folder = folder.join("doc");
    let time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let sources = ["src", "vyre-build/src", "vyre-front/src"];
    let written = sources.iter().filter_map(|folder| newest(Path::new(folder))).max();
    let is_new = |name: &str| time(&folder.join(name).join("index.html")) >= written;
    if written.is_some() && CRATES.iter().all(|name| is_new(name)) {
        return Some(folder);
    }
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // Past the test harness, which captures what `eprintln!` writes.
    let line =
        format!("SKIP-DOCS {test}: `cargo doc --workspace --no-deps --all-features` has not run since the last change");
    let _ = writeln!(std::io::stderr(), "{line}");
    None
}

/// The time of the last change of a source.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let times = entries.map(|entry| match entry.path() {
        path if path.is_dir() => newest(&path),
        path => fs::metadata(path).and_then(|data| data.modified()).ok(),
    });
    times.max().flatten()
}

/// The pages of a crate, but for those of hidden modules, which nothing links.
fn html(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match path.extension() {
            None if path.is_dir() && !path.ends_with("__private") => html(&path, found),
            Some(extension) if extension == "html" => found.push(path),
            _ => {}
        }
    }
}

/// The text of HTML without its tags.
fn text(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
    }
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

/// The declarations of items, methods and implementations on a page.
fn declarations(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (from, to) in [
        ("<pre class=\"rust item-decl\">", "</pre>"),
        ("<h3 class=\"code-header\">", "</h3>"),
        ("<h4 class=\"code-header\">", "</h4>"),
    ] {
        let parts = html.split(from).skip(1);
        found.extend(parts.map(|part| text(part.split(to).next().unwrap_or_default())));
    }
    found
}

/// The types and traits of vyre that are hidden: generated code has them by `vyre::__private`, and no page is theirs.
fn hidden(folder: &Path) -> BTreeSet<String> {
    let source = fs::read_to_string("src/private/mod.rs").expect("the source");
    let mut names = BTreeSet::new();
    for item in source.split(';') {
        let item: String = item.lines().filter(|line| !line.trim().starts_with("//")).collect();
        let Some((_, path)) = item.split_once("pub use ") else {
            continue;
        };
        // Names of the standard library say what they are.
        if !path.starts_with("core::") {
            let words = path.split(|c: char| !c.is_alphanumeric() && c != '_');
            names.extend(
                words
                    .filter(|word| word.starts_with(char::is_uppercase))
                    .map(str::to_owned),
            );
        }
    }
    names.extend(["Made".to_owned(), "Key".to_owned()]);
    let all = fs::read_to_string(folder.join("vyre/all.html")).expect("the list of items");
    let all = text(&all.replace('<', " <"));
    let public: BTreeSet<&str> = all.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    // `Target` is also the type that `Deref` leads to, and by `Sealed` a trait says that only vyre implements it.
    names.retain(|name| !public.contains(name.as_str()) && name != "Target" && name != "Sealed");
    names
}

#[test]
fn pages_show_no_internals() {
    let Some(folder) = pages() else { return };
    let hidden = hidden(&folder);
    assert!(
        hidden.contains("Reads") && hidden.contains("Arguments") && hidden.len() > 10,
        "{hidden:?}"
    );
    let (mut leaks, mut count) = (BTreeSet::new(), 0);
    for name in CRATES {
        let mut files = Vec::new();
        html(&folder.join(name), &mut files);
        for file in files {
            let page = fs::read_to_string(&file).expect("a page");
            let shown = file.strip_prefix(&folder).unwrap_or(&file).display();
            let all = text(&page);
            let internal = INTERNAL.iter().filter(|name| all.contains(**name));
            leaks.extend(internal.map(|name| format!("{shown}: {name}")));
            // The compiler as a library has variants of the same names.
            let is_compiler = file.components().any(|part| part.as_os_str() == "ir");
            let declarations = if is_compiler { Vec::new() } else { declarations(&page) };
            for declaration in declarations {
                let words: BTreeSet<&str> = declaration.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
                let found = hidden.iter().filter(|name| words.contains(name.as_str()));
                leaks.extend(found.map(|name| format!("{shown}: {name}")));
            }
            count += 1;
        }
    }
    assert!(count > 300, "only {count} pages were found");
    assert!(leaks.is_empty(), "{leaks:#?}");
}
