//! The text of a file with its braces, scanned once for all attributes in it.
//!
//! An attribute looks at its file a few times, and a file may have hundreds of them, so each question after the first is a
//! binary search.

use std::cell::RefCell;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use proc_macro2::LineColumn;

use super::tokens::{is_no_part, token};
use super::without_comments;

thread_local! {
    /// The files that this process has scanned.
    static SCANNED: RefCell<Vec<(PathBuf, Rc<Text>)>> = const { RefCell::new(Vec::new()) };
}

/// The item of a brace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Impl,
    Module,
    Macro,
    Other,
}

/// A brace that is open, at a place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Brace {
    pub(super) at: usize,
    pub(super) of: Of,
    /// The parentheses and brackets around it, within the brace before it.
    open: usize,
    /// Where the item around it begins.
    pub(super) start: usize,
}

/// The braces that are open at a place, and where the item around it begins.
pub(super) struct Scope {
    pub(super) braces: Vec<Brace>,
    pub(super) start: usize,
    /// The parentheses and brackets that are open, within the last brace.
    pub(super) open: usize,
    /// True if the place is neither in a comment nor in a literal or a word.
    pub(super) is_token: bool,
}

impl Scope {
    /// True outside of the arguments of macros, of which they make what they like, and of attributes.
    pub(super) fn is_plain(&self) -> bool {
        self.open == 0 && self.braces.iter().all(|brace| brace.of != Of::Macro)
    }
}

/// The item directly around an attribute that cannot contain what vyre generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// An `impl` of a type's own.
    Impl,
    /// A trait, or an `impl` of one.
    Trait,
}

/// A text that may be no Rust.
pub(crate) struct Text {
    source: String,
    /// Where the lines begin.
    lines: Vec<usize>,
    /// All braces that are opened, each with the number of the one around it.
    braces: Vec<(Brace, Option<usize>)>,
    /// The state before each token, and at the end.
    states: Vec<State>,
}

/// The scope in front of a token at `at`.
#[derive(Clone, Copy)]
struct State {
    at: usize,
    /// Where the token before it ends.
    behind: usize,
    /// The number of the innermost brace.
    brace: Option<usize>,
    start: usize,
    open: usize,
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.source
    }
}

impl Text {
    /// The text of a file, if it can be read.
    pub(super) fn of_file(file: &Path) -> Option<Rc<Text>> {
        // A process may outlive the text of a file.
        let source = std::fs::read_to_string(file).ok()?;
        SCANNED.with_borrow_mut(|scanned| {
            let known = scanned.iter().position(|(path, _)| path == file);
            if let Some(known) = known
                && scanned[known].1.source == source
            {
                return Some(scanned[known].1.clone());
            }
            let text = Rc::new(Text::new(source));
            match known {
                Some(known) => scanned[known].1 = text.clone(),
                None => scanned.push((file.to_owned(), text.clone())),
            }
            Some(text)
        })
    }

    pub(crate) fn new(source: String) -> Text {
        let mut lines = vec![0];
        for (at, byte) in source.bytes().enumerate() {
            if byte == b'\n' {
                lines.push(at + 1);
            }
        }
        let (braces, states) = scan(&source);
        Text {
            source,
            lines,
            braces,
            states,
        }
    }

    /// The number of bytes before a line and column.
    pub(super) fn offset(&self, place: LineColumn) -> usize {
        let start = self.lines.get(place.line.saturating_sub(1)).copied();
        let start = start.unwrap_or(self.source.len());
        match self.source[start..].char_indices().nth(place.column) {
            Some((inside, _)) => start + inside,
            None => self.source.len(),
        }
    }

    /// The line of a place, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|&start| start <= at)
    }

    pub(super) fn scope(&self, at: usize) -> Scope {
        let state = self.states[self
            .states
            .partition_point(|state| state.at < at)
            .min(self.states.len() - 1)];
        let mut braces = Vec::new();
        let mut next = state.brace;
        while let Some(number) = next {
            let (brace, around) = self.braces[number];
            braces.push(brace);
            next = around;
        }
        braces.reverse();
        Scope {
            braces,
            start: state.start,
            open: state.open,
            is_token: state.behind <= at,
        }
    }

    /// The `impl` or `trait` of the innermost brace that is open at a place.
    pub(crate) fn placement(&self, at: usize) -> Option<Placement> {
        let braces = self.scope(at).braces;
        let brace = braces.last().filter(|brace| brace.of == Of::Impl)?;
        let header = without_comments(&self.source[brace.start..brace.at]);
        let mut words = header.split(is_no_part);
        Some(match words.any(|word| matches!(word, "for" | "trait")) {
            true => Placement::Trait,
            false => Placement::Impl,
        })
    }
}

fn scan(source: &str) -> (Vec<(Brace, Option<usize>)>, Vec<State>) {
    let (mut braces, mut states) = (Vec::<(Brace, Option<usize>)>::new(), Vec::new());
    let mut now = State {
        at: 0,
        behind: 0,
        brace: None,
        start: 0,
        open: 0,
    };
    // True if an item may begin here; the item of the next brace.
    let (mut item, mut header) = (true, Of::Other);
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (length, at) = (token(rest), source.len() - rest.len());
        states.push(State { at, ..now });
        now.behind = at + length;
        match &rest[..length] {
            comment if comment.starts_with("//") || comment.starts_with("/*") => {}
            "{" => {
                let brace = Brace {
                    at,
                    of: std::mem::replace(&mut header, Of::Other),
                    open: std::mem::take(&mut now.open),
                    start: now.start,
                };
                braces.push((brace, now.brace));
                (item, now.brace, now.start) = (true, Some(braces.len() - 1), now.behind);
            }
            "}" => {
                let closed = now.brace.map(|number| braces[number]);
                now.brace = closed.and_then(|(_, around)| around);
                // One of a macro's arguments ends no item.
                (now.open, now.start) = match closed {
                    Some((brace, _)) if brace.open != 0 => (brace.open, brace.start),
                    _ => (0, now.behind),
                };
                (item, header) = (true, Of::Other);
            }
            ";" => {
                (item, header) = (true, Of::Other);
                if now.open == 0 {
                    now.start = now.behind;
                }
            }
            "(" | "[" => (item, now.open) = (false, now.open + 1),
            ")" => (item, now.open) = (false, now.open.saturating_sub(1)),
            "]" => {
                (item, header) = (true, if header == Of::Macro { Of::Other } else { header });
                now.open = now.open.saturating_sub(1);
            }
            "impl" if item => (item, header) = (false, Of::Impl),
            "trait" => (item, header) = (false, Of::Impl),
            "mod" if item => (item, header) = (false, Of::Module),
            "!" => (item, header) = (false, Of::Macro),
            "pub" | "unsafe" | "default" => {}
            _ => item = false,
        }
        rest = &rest[length..];
    }
    now.at = source.len();
    states.push(now);
    (braces, states)
}
