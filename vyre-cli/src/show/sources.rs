//! Source lines beside compiled code.

use std::path::Path;

use vyre_core::ir::Program;

/// The source files of a program, where they can be read.
pub(super) struct Sources {
    files: Vec<File>,
    /// False leaves texts as they are.
    shown: bool,
}

struct File {
    name: String,
    lines: Vec<String>,
}

impl Sources {
    /// The files that a program names, beside the file that it comes from or in the current folder.
    pub(super) fn of(program: &Program, from: &Path) -> Sources {
        let folder = from.parent().unwrap_or(Path::new(""));
        let read = |name: &String| {
            let places = [Path::new(name).to_owned(), folder.join(name)];
            let text = places.iter().find_map(|place| std::fs::read_to_string(place).ok());
            File {
                name: name.clone(),
                lines: text.unwrap_or_default().lines().map(str::to_owned).collect(),
            }
        };
        Sources {
            files: program.files.iter().map(read).collect(),
            shown: true,
        }
    }

    /// None: texts stay as they are.
    pub(super) fn none() -> Sources {
        Sources {
            files: Vec::new(),
            shown: false,
        }
    }

    /// A line of the source: `saxpy.rs:3 | let i = thread::index();`.
    pub(super) fn line(&self, file: usize, line: u32) -> String {
        let Some(file) = self.files.get(file) else {
            return format!("?:{line}");
        };
        let text = file.lines.get((line as usize).wrapping_sub(1));
        match text {
            Some(text) => format!("{}:{line} | {}", file.name, text.trim()),
            None => format!("{}:{line}", file.name),
        }
    }

    /// A program or graph with a comment before each line whose location, at its end, differs in
    /// line from that of the previous one. The locations are removed.
    pub(super) fn beside(&self, text: &str) -> String {
        if !self.shown {
            return text.to_owned();
        }
        let mut out = String::new();
        let mut last = None;
        for line in text.lines() {
            let (code, place) = match line.rsplit_once("  @") {
                Some((code, place)) => (code, first_place(place)),
                None => (line, None),
            };
            if place.is_some() && place != last {
                let (file, number) = place.unwrap_or_default();
                let indent: String = code.chars().take_while(|character| *character == ' ').collect();
                out += &format!("{indent}// {}\n", self.line(file, number));
                last = place;
            }
            out += code;
            out.push('\n');
        }
        out
    }

    /// PTX with the text of the lines that its comments name.
    pub(super) fn beside_ptx(&self, text: &str) -> String {
        let mut out = String::new();
        for line in text.lines() {
            out += line;
            if self.shown
                && let Some((name, number)) = line
                    .trim_start()
                    .strip_prefix("// ")
                    .and_then(|rest| rest.rsplit_once(':'))
                && let Ok(number) = number.parse::<u32>()
                && let Some(text) = self.text(name, number)
            {
                out += &format!(" | {text}");
            }
            out.push('\n');
        }
        out
    }

    /// The text of a line of a file by its name.
    pub(super) fn text(&self, name: &str, line: u32) -> Option<&str> {
        let file = self.files.iter().find(|file| file.name == name)?;
        file.lines.get((line as usize).wrapping_sub(1)).map(|text| text.trim())
    }

    pub(super) fn are_shown(&self) -> bool {
        self.shown
    }
}

/// File and line of the first of the locations at the end of a line: `3:9 12*2 8`, `1/3:9`.
fn first_place(places: &str) -> Option<(usize, u32)> {
    let first = places.split([' ', '*']).next()?;
    let (file, rest) = match first.split_once('/') {
        Some((file, rest)) => (file.parse().ok()?, rest),
        None => (0, first),
    };
    let (line, _) = rest.split_once(':')?;
    Some((file, line.parse().ok()?))
}
