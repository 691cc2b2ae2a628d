//! Expected text in files of the tree.

use std::collections::BTreeSet;
use std::path::Path;

/// The index of a folder of snapshots. A line of its list is `` - `MODULE/KERNEL`: `` and the decision that
/// the PTX shows.
const INDEX: &str = "README.md";

/// Compares the PTX of the kernels that the index of `folder` lists with `MODULE/KERNEL.ptx` there. The
/// kernels come with their names in that form; listed ones of other modules belong to other tests.
///
/// # Errors
/// The files that differ, that the index does not list, or that belong to no kernel.
pub fn compare_listed(folder: &Path, kernels: &[(String, &str)]) -> Result<(), String> {
    let index = folder.join(INDEX);
    let text = std::fs::read_to_string(&index).map_err(|error| format!("{}: {error}", index.display()))?;
    let listed: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| Some(line.strip_prefix("- `")?.split_once("`: ")?.0))
        .collect();
    let mut wrong = String::new();
    for (name, ptx) in kernels.iter().filter(|(name, _)| listed.contains(&**name)) {
        // Comments name source files as the host's system does.
        if let Err(difference) = compare(&folder.join(format!("{name}.ptx")), &ptx.replace('\\', "/")) {
            wrong += &format!("{difference}\n");
        }
    }
    let modules: BTreeSet<&str> = kernels
        .iter()
        .filter_map(|(name, _)| Some(name.split_once('/')?.0))
        .collect();
    for module in &modules {
        let is_of_module = |name: &str| name.split_once('/').is_some_and(|(of, _)| of == *module);
        for name in listed.iter().filter(|name| is_of_module(name)) {
            if !kernels.iter().any(|(kernel, _)| kernel == name) {
                wrong += &format!("{} lists `{name}`, and there is no such kernel\n", index.display());
            }
        }
        // Modules without a snapshot have no folder.
        for entry in std::fs::read_dir(folder.join(module)).into_iter().flatten().flatten() {
            let file = entry.path();
            let name = format!("{module}/{}", file.file_stem().unwrap_or_default().display());
            if !listed.contains(&*name) {
                wrong += &format!("{} does not list {}\n", index.display(), file.display());
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// True if `VYRE_BLESS=1` requests that tests rewrite their expectations.
pub fn is_blessing() -> bool {
    std::env::var_os("VYRE_BLESS").is_some_and(|value| value == "1")
}

/// Compares `actual` with the content of `file`; with `VYRE_BLESS=1`, writes it there.
///
/// # Errors
/// The first line that differs, and how to accept the change.
pub fn compare(file: &Path, actual: &str) -> Result<(), String> {
    if is_blessing() {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        return std::fs::write(file, actual).map_err(|error| format!("{}: {error}", file.display()));
    }
    let expected = std::fs::read_to_string(file).map_err(|error| {
        format!(
            "{}: {error}; run the test with VYRE_BLESS=1 to write it, and look at what it wrote",
            file.display()
        )
    })?;
    // A checkout on Windows may have turned the line ends.
    if expected.lines().eq(actual.lines()) {
        return Ok(());
    }
    let (line, (old, new)) = (1..)
        .zip(
            expected
                .lines()
                .map(Some)
                .chain(std::iter::repeat(None))
                .zip(actual.lines().map(Some).chain(std::iter::repeat(None))),
        )
        .find(|(_, (old, new))| old != new)
        .expect("the texts differ");
    Err(format!(
        "{}:{line} differs; VYRE_BLESS=1 accepts the change\n  expected: {}\n  actual:   {}",
        file.display(),
        old.unwrap_or("(end of file)"),
        new.unwrap_or("(end of file)")
    ))
}

#[cfg(test)]
mod tests;
