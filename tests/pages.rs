//! The links of the pages lead somewhere. Their programs are run as doc tests of the crate.

use std::path::{Path, PathBuf};

fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir("docs").unwrap().map(|entry| entry.unwrap().path());
    ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
        .map(PathBuf::from)
        .into_iter()
        .chain(docs)
        .filter(|page| page.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

#[test]
fn relative_links_lead_to_files() {
    let mut links = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.starts_with("http") || target.starts_with('#') {
                continue;
            }
            let file = target.split('#').next().unwrap_or(target);
            let folder = page.parent().unwrap_or(Path::new(""));
            assert!(folder.join(file).exists(), "{}: {target}", page.display());
            links += 1;
        }
    }
    assert!(links > 15, "only {links} links were found");
}

#[test]
fn folders_of_the_architecture_exist() {
    let text = std::fs::read_to_string("docs/architecture.md").unwrap();
    let mut package = String::new();
    let mut known = 0;
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            package = heading.split(':').next().unwrap_or("").to_owned();
        }
        // A list of what a package has begins its points with the names of files and folders.
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
