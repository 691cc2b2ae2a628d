//! Expected text in files of the tree.

use std::path::Path;

/// Whether `VYRE_BLESS=1` asks tests to write what they expect.
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
