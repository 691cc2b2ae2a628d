//! Scans the text around an attribute, whose tokens do not show it.
//!
//! The launcher of a kernel is a struct, which an `impl` or `trait` cannot contain: rustc would report a struct that the
//! user has not written. So an indented attribute reads what stands before it in its file.
//!
//! What stands [beside](Surroundings) an item is read for messages alone, and only where a name shows that rustc will
//! refuse the item in words that lead nowhere. Items under `#[cfg]`, and in the braces of macros, count for nothing.

mod expansions;
mod imports;
mod included;
mod meanings;
mod out_of_sight;
#[cfg(test)]
mod tests;
mod tokens;

use std::cell::OnceCell;
use std::path::PathBuf;

use proc_macro2::{Ident, Span};
use syn::{GenericParam, Generics, Item};

use self::tokens::{is_no_part, is_part, token};
use super::declared;

/// The start of a raw name.
const RAW: &str = "r#";

/// The file, the line and the column of a name, which outlive its expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    file: PathBuf,
    line: usize,
    column: usize,
}

impl Place {
    pub(crate) fn of(name: &Ident) -> Option<Place> {
        let (file, start) = (name.span().local_file()?, name.span().start());
        Some(Place {
            file,
            line: start.line,
            column: start.column,
        })
    }

    /// True if both are in one file.
    pub(crate) fn is_in_file_of(&self, other: &Place) -> bool {
        self.file == other.file
    }

    /// True if both are in one scope of one file, outside of the braces of macros.
    pub(crate) fn is_in_scope_of(&self, other: &Place) -> bool {
        if !self.is_in_file_of(other) {
            return false;
        }
        let Ok(source) = std::fs::read_to_string(&self.file) else {
            return false;
        };
        let of = |place: &Place| scope(&source, offset(&source, place.line, place.column));
        let (here, there) = (of(self), of(other));
        here.is_plain() && there.is_plain() && here.braces == there.braces
    }
}

/// The text of the file of an item, and where the name of the item stands in it.
pub(crate) struct Surroundings {
    file: PathBuf,
    source: String,
    at: usize,
    here: OnceCell<Scope>,
}

impl Surroundings {
    /// `None` where the file cannot be read, or has something else at the place of the name.
    pub(crate) fn of(name: &Ident) -> Option<Surroundings> {
        // The body of a generic kernel has the kernel's name after underscores.
        Surroundings::at(name, |text, name| {
            text.starts_with(name) || text.starts_with(name.strip_prefix("__").unwrap_or(name))
        })
    }

    /// As `of`, also for the name of an instance of a generic kernel, which begins with the kernel's.
    pub(crate) fn of_instance(name: &Ident) -> Option<Surroundings> {
        Surroundings::at(name, |text, name| {
            let text = text.strip_prefix(RAW).unwrap_or(text);
            let word = text.split(is_no_part).next();
            word.is_some_and(|word| !word.is_empty() && name.starts_with(word))
        })
    }

    fn at(name: &Ident, is_there: fn(&str, &str) -> bool) -> Option<Surroundings> {
        let file = name.span().local_file()?;
        let source = std::fs::read_to_string(&file).ok()?;
        let start = name.span().start();
        let at = offset(&source, start.line, start.column);
        is_there(source.get(at..)?, &name.to_string()).then_some(Surroundings {
            file,
            source,
            at,
            here: OnceCell::new(),
        })
    }

    /// The keyword, among these, and the line of the item of a name that stands beside this one.
    pub(crate) fn item(&self, keywords: &[&'static str], name: &str) -> Option<(&'static str, usize)> {
        for (keyword, at) in self.items(keywords, name) {
            if self.is_beside(at) {
                return Some((keyword, self.line(at)));
            }
        }
        None
    }

    /// The line of a kernel beside this one that has a launcher of the same name, and was expanded before.
    pub(crate) fn kernel_with_launcher(&self, launcher: &str) -> Option<usize> {
        let others = declared::declare_launcher(launcher, &self.file, self.at);
        let at = others.into_iter().find(|&at| self.is_beside(at))?;
        Some(self.line(at))
    }

    /// As `item`, of one that has no mark of vyre's, or that of a kernel, which is then the keyword.
    pub(crate) fn unmarked(&self, keywords: &[&'static str], name: &str) -> Option<(&'static str, usize)> {
        let is_marked = |text: &str| ["device", "constant"].iter().any(|mark| text.contains(mark));
        // A type and a function may have the same name, and one of them the mark.
        let of_item = |at: usize| without_comments(&self.source[scope(&self.source, at).start..at]);
        let found = self.items(keywords, name);
        let (&(mut keyword, at), others) = found.split_first()?;
        // Most are marked, which shows without a look at the whole file.
        let end_of_other = self.source[..at].rfind(['}', ';']).unwrap_or(0);
        if is_marked(&without_comments(&self.source[end_of_other..at])) || !self.is_beside(at) {
            return None;
        }
        if others.iter().any(|&(_, at)| is_marked(&of_item(at))) {
            return None;
        }
        let before = of_item(at);
        if before.contains("vyre::kernel") {
            keyword = "kernel";
        }
        (!is_marked(&before)).then(|| (keyword, self.line(at)))
    }

    /// True if a struct or enum of this name stands beside this item that derives `Copy`, is not generic and has no mark.
    pub(crate) fn is_copy(&self, name: &str) -> bool {
        let is_plain = |at: usize| {
            let derives = without_comments(&self.source[scope(&self.source, at).start..at]);
            let is_generic = self.source[at + name.len()..].trim_start().starts_with('<');
            derives.contains("Copy") && !derives.contains("device") && !is_generic
        };
        let has_own = self.source.contains(&format!("Element for {name}"));
        !has_own
            && self
                .items(&["struct", "enum"], name)
                .into_iter()
                .any(|(_, at)| is_plain(at) && self.is_beside(at))
    }

    /// True if the struct or enum of this name beside this item has a mark of vyre's; `None` where none there has a lifetime.
    pub(crate) fn borrows(&self, name: &str) -> Option<bool> {
        let has_lifetime = |at: usize| {
            let rest = self.source[at + name.len()..].trim_start();
            rest.strip_prefix('<')
                .is_some_and(|rest| rest.trim_start().starts_with('\''))
        };
        let mut found = self.items(&["struct", "enum"], name).into_iter();
        let (_, at) = found.find(|&(_, at)| has_lifetime(at) && self.is_beside(at))?;
        Some(without_comments(&self.source[scope(&self.source, at).start..at]).contains("device"))
    }

    /// The places of a name behind these keywords, but for its own.
    fn items(&self, keywords: &[&'static str], name: &str) -> Vec<(&'static str, usize)> {
        let mut found = Vec::new();
        for at in self.words(name) {
            let before = self.before(at);
            let of_static = before.strip_suffix("mut").map(str::trim_end);
            let before = of_static.filter(|it| ends_in_word(it, "static")).unwrap_or(before);
            for keyword in keywords {
                if ends_in_word(before, keyword) && at != self.at && at != self.at + RAW.len() {
                    found.push((*keyword, at));
                    break;
                }
            }
        }
        found
    }

    /// The text before a name, which may be raw, and the comments in front of it.
    fn before(&self, at: usize) -> &str {
        let before = &self.source[..at];
        let mut before = before.strip_suffix(RAW).unwrap_or(before).trim_end();
        loop {
            let comment = match before.ends_with("*/") {
                true => before.rfind("/*"),
                false if self.source[before.len()..at].contains('\n') => {
                    let line = before.rfind('\n').map_or(0, |end| end + 1);
                    before[line..].find("//").map(|at| line + at)
                }
                false => None,
            };
            match comment {
                Some(comment) => before = before[..comment].trim_end(),
                None => return before,
            }
        }
    }

    fn line(&self, at: usize) -> usize {
        self.source[..at].matches('\n').count() + 1
    }

    /// True if this macro is defined by rules before this item and beside it, and no function is around them.
    pub(crate) fn hides(&self, name: &str) -> bool {
        for at in self.words(name) {
            let before = self.source[..at].trim_end();
            let is_of_rules = at < self.at
                && before.ends_with('!')
                && ends_in_word(before[..before.len() - 1].trim_end(), "macro_rules");
            if !is_of_rules || !self.leads_to(at) {
                continue;
            }
            let (here, there) = (self.here(), scope(&self.source, at));
            if there.is_token
                && there.open == 0
                && here.braces == there.braces
                && here.braces.iter().all(|brace| brace.of == Of::Module)
            {
                return true;
            }
        }
        false
    }

    /// True if the file has an item of this name, wherever it stands.
    pub(crate) fn defines(&self, keyword: &'static str, name: &str) -> bool {
        !self.items(&[keyword], name).is_empty()
    }

    /// True if a name is that of a variable, before this item, of a function around it.
    pub(crate) fn captures(&self, name: &str) -> bool {
        let around = &self.here().braces;
        let is_of_let = |at: usize| {
            let there = scope(&self.source, at);
            let text = without_comments(&self.source[there.start..at]);
            let is_around = around.starts_with(&there.braces) && around[there.braces.len()..].iter().all(is_function);
            let is_bound = text.trim_start().starts_with("let") && !text.contains('=');
            there.is_token && is_around && is_bound && there.braces.last().is_some_and(is_function)
        };
        let is_parameter = |brace: &Brace| {
            let header = &self.source[brace.start..brace.at];
            let mut names = header.match_indices(name);
            is_function(brace)
                && header.contains("fn ")
                && names.any(|(at, _)| {
                    let before = header[..at].trim_end();
                    let before = before.strip_suffix("mut").map_or(before, str::trim_end);
                    let after = header[at + name.len()..].trim_start();
                    before.ends_with(['(', ',']) && after.starts_with(':') && !after.starts_with("::")
                })
        };
        around.iter().any(is_parameter) || self.words(name).iter().any(|&at| at < self.at && is_of_let(at))
    }

    /// True if a function or an `impl` around this item has a generic parameter of this name.
    pub(crate) fn has_parameter_around(&self, name: &str) -> bool {
        let is_of = |generics: &Generics| {
            generics.params.iter().any(|parameter| match parameter {
                GenericParam::Type(it) => it.ident == name,
                GenericParam::Const(it) => it.ident == name,
                GenericParam::Lifetime(_) => false,
            })
        };
        const ITEMS: [&str; 5] = ["const", "enum", "static", "struct", "type"];
        let braces = &self.here().braces;
        // An item in the function would be meant.
        let is_item = |at: usize| !braces.iter().any(|brace| (brace.start..brace.at).contains(&at));
        if self.imports(name) || self.items(&ITEMS, name).iter().any(|&(_, at)| is_item(at)) {
            return false;
        }
        braces.iter().any(|brace| {
            let header = &self.source[brace.start..brace.at];
            match syn::parse_str(&format!("{header} {{}}")) {
                Ok(Item::Fn(it)) => is_of(&it.sig.generics),
                Ok(Item::Impl(it)) => is_of(&it.generics),
                _ => false,
            }
        })
    }

    /// The places of a word in the text.
    fn words(&self, word: &str) -> Vec<usize> {
        let mut words = Vec::new();
        for (at, _) in self.source.match_indices(word) {
            if !self.source[..at].ends_with(is_part) && !self.source[at + word.len()..].starts_with(is_part) {
                words.push(at);
            }
        }
        words
    }

    /// The text from a place to the end of the first braces.
    fn to_brace(&self, from: usize) -> Option<&str> {
        let (mut at, mut depth) = (from, 0usize);
        while let Some(first) = self.source[at..].chars().next() {
            let rest = &self.source[at..];
            let length = match first.is_whitespace() {
                true => first.len_utf8(),
                false => token(rest).max(1),
            };
            at += length;
            match &rest[..length] {
                "{" => depth += 1,
                "}" if depth == 1 => return Some(&self.source[from..at]),
                "}" => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        None
    }

    fn here(&self) -> &Scope {
        self.here.get_or_init(|| scope(&self.source, self.at))
    }

    /// True if no brace between `at` and here closes one that was open before: a test of what stands in between, which
    /// everything in the same scope passes and most of the rest of a file does not.
    fn leads_to(&self, at: usize) -> bool {
        let (mut from, to) = (at.min(self.at), at.max(self.at));
        let mut depth = 0usize;
        while from < to {
            let rest = &self.source[from..];
            let length = match rest.chars().next() {
                Some(first) if first.is_whitespace() => first.len_utf8(),
                _ => token(rest).max(1),
            };
            match &rest[..length] {
                "{" => depth += 1,
                "}" if depth == 0 => return false,
                "}" => depth -= 1,
                _ => {}
            }
            from += length;
        }
        depth == 0
    }

    /// True if what stands at `at` is in the same scope, and is surely compiled.
    fn is_beside(&self, at: usize) -> bool {
        if !self.leads_to(at) {
            return false;
        }
        let (here, there) = (self.here(), scope(&self.source, at));
        if !there.is_token || !here.is_plain() || !there.is_plain() || here.braces != there.braces {
            return false;
        }
        let code = without_comments(&self.source[there.start..at]);
        code.split('#').skip(1).all(is_known)
    }
}

/// True of a brace that may be that of a function, or of a block in one.
fn is_function(brace: &Brace) -> bool {
    brace.of == Of::Other
}

/// The lines of a text that are no comments.
fn without_comments(text: &str) -> String {
    let mut code = String::new();
    for line in text.lines() {
        if !line.trim_start().starts_with("//") {
            code += line;
        }
    }
    code
}

/// True of the text behind the `#` of an attribute that leaves its item as it is.
fn is_known(attribute: &str) -> bool {
    const KNOWN: [&str; 12] = [
        "allow",
        "derive",
        "doc",
        "each",
        "expect",
        "inline",
        "macro_export",
        "must_use",
        "non_exhaustive",
        "repr",
        "vyre::device",
        "vyre::kernel",
    ];
    let inner = attribute.trim_start().strip_prefix('[').map(str::trim_start);
    let is_end = |rest: &str| !rest.starts_with(is_part) && !rest.starts_with(':');
    inner.is_some_and(|inner| KNOWN.iter().any(|known| inner.strip_prefix(known).is_some_and(is_end)))
}

/// True if the text ends in a word.
fn ends_in_word(text: &str, word: &str) -> bool {
    let before = text.strip_suffix(word);
    before.is_some_and(|before| !before.ends_with(is_part))
}

/// The number of bytes before a line and column.
fn offset(source: &str, line: usize, column: usize) -> usize {
    let mut start = 0;
    for _ in 1..line {
        start = source[start..].find('\n').map_or(source.len(), |end| start + end + 1);
    }
    match source[start..].char_indices().nth(column) {
        Some((inside, _)) => start + inside,
        None => source.len(),
    }
}

/// The item of a brace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Impl,
    Module,
    Macro,
    Other,
}

/// A brace that is open, at a place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Brace {
    at: usize,
    of: Of,
    /// The parentheses and brackets around it, within the brace before it.
    open: usize,
    /// Where the item around it begins.
    start: usize,
}

/// The braces that are open at a place, and where the item around it begins.
struct Scope {
    braces: Vec<Brace>,
    start: usize,
    /// The parentheses and brackets that are open, within the last brace.
    open: usize,
    /// True if the place is neither in a comment nor in a literal or a word.
    is_token: bool,
}

impl Scope {
    /// True outside of the arguments of macros, of which they make what they like, and of attributes.
    fn is_plain(&self) -> bool {
        self.open == 0 && self.braces.iter().all(|brace| brace.of != Of::Macro)
    }
}

/// The text of the file in which a span lies, if it can be read.
fn source(span: Span) -> Option<String> {
    std::fs::read_to_string(span.local_file()?).ok()
}

/// The item directly around an attribute that cannot contain what vyre generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// An `impl` of a type's own.
    Impl,
    /// A trait, or an `impl` of one.
    Trait,
}

/// The `impl` or `trait` that the attribute at `span` is directly in; `None` if the source cannot be read.
pub(crate) fn placement(span: Span) -> Option<Placement> {
    let start = span.start();
    // Items at the top level of a file are not indented.
    if start.column == 0 {
        return None;
    }
    let source = source(span)?;
    placement_at(&source[..offset(&source, start.line, start.column)])
}

/// The `impl` or `trait` of the innermost brace that is open at the end of `source`.
pub(crate) fn placement_at(source: &str) -> Option<Placement> {
    let braces = scope(source, source.len()).braces;
    let brace = braces.last().filter(|brace| brace.of == Of::Impl)?;
    let header = without_comments(&source[brace.start..brace.at]);
    let mut words = header.split(is_no_part);
    Some(match words.any(|word| matches!(word, "for" | "trait")) {
        true => Placement::Trait,
        false => Placement::Impl,
    })
}

fn scope(source: &str, end: usize) -> Scope {
    let (mut braces, mut start, mut open) = (Vec::<Brace>::new(), 0, 0usize);
    let mut rest = source;
    // True if an item may begin here; the item of the next brace.
    let (mut item, mut header) = (true, Of::Other);
    while let Some(first) = rest.chars().next().filter(|_| source.len() - rest.len() < end) {
        if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (length, at) = (token(rest), source.len() - rest.len());
        match &rest[..length] {
            comment if comment.starts_with("//") || comment.starts_with("/*") => {}
            "{" => {
                braces.push(Brace {
                    at,
                    of: std::mem::replace(&mut header, Of::Other),
                    open: std::mem::take(&mut open),
                    start,
                });
                (item, start) = (true, at + length);
            }
            "}" => {
                let end = at + length;
                // One of a macro's arguments ends no item.
                (open, start) = match braces.pop() {
                    Some(brace) if brace.open != 0 => (brace.open, brace.start),
                    _ => (0, end),
                };
                (item, header) = (true, Of::Other);
            }
            ";" => {
                (item, header) = (true, Of::Other);
                if open == 0 {
                    start = at + length;
                }
            }
            "(" | "[" => (item, open) = (false, open + 1),
            ")" => (item, open) = (false, open.saturating_sub(1)),
            "]" => {
                (item, header) = (true, if header == Of::Macro { Of::Other } else { header });
                open = open.saturating_sub(1);
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
    Scope {
        braces,
        start,
        open,
        is_token: source.len() - rest.len() == end,
    }
}
