//! rustc's errors for a file whose lines are separate programs.

/// The lines of `file` in which rustc finds errors, by what it says with `--error-format=short`: `file:12:3: error..`.
///
/// # Panics
/// If it finds none there, but fails.
pub fn refused_lines(said: &str, file: &str) -> Vec<usize> {
    let mut lines: Vec<usize> = said
        .lines()
        .filter(|line| line.contains(": error"))
        .filter_map(|line| line.split(&format!("{file}:")).nth(1)?.split(':').next()?.parse().ok())
        .collect();
    lines.sort_unstable();
    lines.dedup();
    assert!(!lines.is_empty(), "rustc says {said}");
    lines
}
