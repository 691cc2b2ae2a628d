//! The diagnostics of rustc in a form that does not depend on where the compiler, the crates and the cases lie.

use std::path::Path;

use serde_json::Value;

/// A diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Diagnostic {
    /// Its lines in the form that is compared.
    pub(crate) lines: Vec<String>,
}

/// The path of a file that is named behind an arrow, and the rest, if the line names one.
fn place(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let arrow = ["--> ", "::: "].into_iter().find(|arrow| line.starts_with(arrow))?;
    Some(line.split_at(arrow.len()))
}

/// A path without `:12:3` at its end.
fn without_position(path: &str) -> &str {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let cut = |path: &str| {
        path.rsplit_once(':')
            .filter(|(_, end)| number(end))
            .map(|(path, _)| path.len())
    };
    let once = cut(path).unwrap_or(path.len());
    let twice = cut(&path[..once]).unwrap_or(once);
    &path[..twice]
}

/// The path of a file of another crate, as the `.stderr` have it.
fn elsewhere(path: &str, root: &str) -> Option<String> {
    if path.starts_with('$') {
        return Some(path.to_owned());
    }
    if let Some((_, rest)) = path.split_once("/rustlib/src/rust/library/") {
        return Some(format!("$RUST/{rest}"));
    }
    if let Some((_, rest)) = path
        .strip_prefix("/rustc/")
        .and_then(|rest| rest.split_once("/library/"))
    {
        return Some(format!("$RUST/{rest}"));
    }
    if let Some((_, rest)) = path.split_once("/registry/src/") {
        // The folder of a crate ends in its version.
        let (_, rest) = rest.split_once('/')?;
        let (name, rest) = rest.split_once('/')?;
        let (name, _) = name.rsplit_once('-')?;
        return Some(format!("$CARGO/{name}-$VERSION/{rest}"));
    }
    let in_workspace = path.strip_prefix(root).map(|rest| rest.trim_start_matches('/'));
    let path = in_workspace.or_else(|| (!path.starts_with('/') && !path.starts_with("cases/")).then_some(path))?;
    Some(path.to_owned())
}

/// The number of a line at the margin, and what is behind it, if the line shows source or a note.
fn margin(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("...").unwrap_or(line).trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    let rest = rest.trim_start();
    let is_margin = ["|", "=", "~", "+", "-"]
        .iter()
        .any(|mark| rest == *mark || rest.starts_with(&format!("{mark} ")));
    is_margin.then_some((number, rest))
}

/// A line without what depends on all crates or on the place of the program: the modules of a type or trait, which rustc
/// leaves out if no other has the name, and hashes.
fn names(line: &str) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(is_word) {
        found.push_str(&rest[..start]);
        rest = &rest[start..];
        let (mut word, mut behind) = rest.split_at(rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()));
        while word.starts_with(|letter: char| letter.is_lowercase() || letter == '_')
            && let Some(next) = behind.strip_prefix("::")
            && next.starts_with(is_word)
        {
            (word, behind) = next.split_at(next.find(|letter| !is_word(letter)).unwrap_or(next.len()));
        }
        let is_hash = |end: &str| end.len() == 16 && end.bytes().all(|byte| byte.is_ascii_hexdigit());
        match word.rsplit_once('_') {
            Some((name, end)) if is_hash(end) => found.push_str(name),
            _ => found.push_str(word),
        }
        rest = behind;
    }
    found + rest
}

impl Diagnostic {
    /// Reads a diagnostic from the output of rustc or from a `.stderr`. `root` is the folder of the workspace, `package` that of the package,
    /// and `case` the file in it; `crate_name` is that of the program.
    pub(crate) fn new(text: &str, (root, package): (&Path, &Path), case: &str, crate_name: &str) -> Diagnostic {
        let (root, package) = (root.to_string_lossy(), format!("{}/", package.display()));
        let mut lines = Vec::new();
        // True where the lines that follow are those of another file, whose numbers change with it.
        let mut is_elsewhere = false;
        // True in a list of the types that have a trait, which is that of all crates.
        let mut is_list = false;
        for line in text.lines() {
            let line = line
                .replace(&package, "")
                .replace("$DIR/", "")
                .replace("$WORKSPACE/", "")
                .replace(crate_name, "$CRATE");
            let line = line.trim_end();
            let start = line.trim_start();
            if start.starts_with("= note: the full ") && start.contains(" has been written to") {
                continue;
            }
            // rustc says it of the first warning of a lint.
            if start.starts_with("= note: `#[") && start.ends_with(" on by default") {
                continue;
            }
            if let Some((arrow, path)) = place(line) {
                let file = without_position(path);
                is_elsewhere = file != case;
                is_list = false;
                lines.push(match elsewhere(file, &root) {
                    Some(path) => format!("{arrow}{path}"),
                    None if is_elsewhere => format!("{arrow}{file}"),
                    None => format!("{arrow}{path}"),
                });
                continue;
            }
            if let Some((number, rest)) = margin(line) {
                let number = if is_elsewhere { "" } else { number };
                is_list = rest.contains(" implement trait `");
                lines.push(names(&format!("{number} {rest}")));
                continue;
            }
            if !is_list {
                lines.push(names(start));
            }
        }
        lines.retain(|line| !line.is_empty() && line != " |");
        Diagnostic { lines }
    }

    /// The message, and where its first place is.
    pub(crate) fn head(&self) -> &[String] {
        let place = self.lines.iter().position(|line| line.starts_with("--> "));
        &self.lines[..place.map_or(self.lines.len(), |place| place + 1)]
    }

    /// The diagnostics in a `.stderr`.
    pub(crate) fn all(text: &str, folders: (&Path, &Path), case: &str) -> Vec<Diagnostic> {
        let mut all: Vec<String> = Vec::new();
        for line in text.lines() {
            let begins = ["error", "warning", "note"].iter().any(|level| {
                line.strip_prefix(level)
                    .is_some_and(|rest| rest.starts_with(": ") || rest.starts_with('['))
            });
            let is_first = all.last().is_none_or(|last| last.ends_with("\n\n"));
            if begins && is_first {
                all.push(String::new());
            }
            if let Some(last) = all.last_mut() {
                last.push_str(line);
                last.push('\n');
            }
        }
        all.iter()
            .map(|text| Diagnostic::new(text, folders, case, "$CRATE"))
            .collect()
    }
}

/// The texts of the diagnostics that rustc has written with `--error-format=json`.
pub(crate) fn rendered(stderr: &str) -> Vec<String> {
    let lines = stderr
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let text = |value: Value| value.get("rendered")?.as_str().map(str::to_owned);
    let is_count = |text: &String| {
        text.starts_with("error: aborting due to ")
            || text.starts_with("For more information about ")
            || text.starts_with("Some errors have detailed explanations:")
    };
    lines.filter_map(text).filter(|text| !is_count(text)).collect()
}
