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
mod text;
mod tokens;

use std::cell::OnceCell;
use std::path::PathBuf;
use std::rc::Rc;

use proc_macro2::{Ident, LineColumn, Span};
use syn::{GenericParam, Generics, Item};

use self::text::{Brace, Of, Scope};
pub(crate) use self::text::{Placement, Text};
use self::tokens::{is_no_part, is_part, token};
use super::declared;

/// The start of a raw name.
const RAW: &str = "r#";

/// The file, the line and the column of a name, which outlive its expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    file: PathBuf,
    start: LineColumn,
}

impl Place {
    pub(crate) fn of(name: &Ident) -> Option<Place> {
        Some(Place {
            file: name.span().local_file()?,
            start: name.span().start(),
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
        let Some(text) = Text::of_file(&self.file) else {
            return false;
        };
        let of = |place: &Place| text.scope(text.offset(place.start));
        let (here, there) = (of(self), of(other));
        here.is_plain() && there.is_plain() && here.braces == there.braces
    }
}

/// The text of the file of an item, and where the name of the item stands in it.
pub(crate) struct Surroundings {
    file: PathBuf,
    source: Rc<Text>,
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
        let source = Text::of_file(&file)?;
        let at = source.offset(name.span().start());
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
        let of_item = |at: usize| without_comments(&self.source[self.source.scope(at).start..at]);
        let found = self.items(keywords, name);
        let (&(mut keyword, at), others) = found.split_first()?;
        if !self.is_beside(at) {
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
            let derives = without_comments(&self.source[self.source.scope(at).start..at]);
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
        Some(without_comments(&self.source[self.source.scope(at).start..at]).contains("device"))
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
        self.source.line(at)
    }

    /// True if this macro is defined by rules before this item and beside it, and no function is around them.
    pub(crate) fn hides(&self, name: &str) -> bool {
        for at in self.words(name) {
            let before = self.source[..at].trim_end();
            let is_of_rules = at < self.at
                && before.ends_with('!')
                && ends_in_word(before[..before.len() - 1].trim_end(), "macro_rules");
            if !is_of_rules {
                continue;
            }
            let (here, there) = (self.here(), self.source.scope(at));
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
            let there = self.source.scope(at);
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
        self.here.get_or_init(|| self.source.scope(self.at))
    }

    /// True if what stands at `at` is in the same scope, and is surely compiled.
    fn is_beside(&self, at: usize) -> bool {
        let (here, there) = (self.here(), self.source.scope(at));
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

/// The `impl` or `trait` that the attribute at `span` is directly in; `None` if the source cannot be read.
pub(crate) fn placement(span: Span) -> Option<Placement> {
    let start = span.start();
    // Items at the top level of a file are not indented.
    if start.column == 0 {
        return None;
    }
    let text = Text::of_file(&span.local_file()?)?;
    text.placement(text.offset(start))
}
