//! Names that are surely not in scope at an item, since nothing in its file brings them.
//!
//! Where in doubt a name is taken to be there: a glob import, a macro or an unknown attribute may bring it.

use syn::ItemUse;

use super::expansions::may_bring_names;
use super::imports::brings_by_a_path;
use super::included::may_be_included;
use super::tokens::token;
use super::{Of, Surroundings};

/// The modules of a file whose names are in scope at an item: its own, and those around it that `use super::*` adds.
#[derive(Clone, Copy)]
pub(crate) struct Reach(usize);

/// The keywords before a name that an item or an import gives.
const KEYWORDS: [&str; 11] = [
    "as", "const", "crate", "enum", "fn", "mod", "static", "struct", "trait", "type", "union",
];

impl Surroundings {
    /// The modules whose names are in scope at the item; `None` if an import may bring all names of vyre's prelude, as one
    /// of most files does.
    pub(crate) fn reach(&self) -> Option<Reach> {
        self.reach_of(&|import| !is_of_host(import))
    }

    /// True if an import of the file brings the items of vyre's prelude that belong to the host.
    pub(crate) fn imports_host(&self) -> bool {
        self.import_texts().iter().any(|(_, text)| is_of_host(text))
    }

    /// True if a name that vyre does not have is surely not in scope at the item.
    pub(crate) fn lacks(&self, name: &str) -> bool {
        // Most names are those of items beside this one.
        for (_, at) in self.items(&KEYWORDS, name) {
            if self.seems_beside(at) {
                return false;
            }
        }
        let brings = |import: &str| !without_spaces(import).starts_with("usevyre::prelude::");
        let reach = self.reach_of(&brings);
        reach.is_some_and(|reach| !self.lacking(&[name], reach).is_empty())
    }

    /// As `reach`, where an import of all names brings some that matter if `brings` is true of it.
    fn reach_of(&self, brings: &dyn Fn(&str) -> bool) -> Option<Reach> {
        let imports = self.import_texts();
        let mut reach = Reach(0);
        loop {
            let mut is_raised = false;
            for (at, text) in &imports {
                if !text.contains('*') || !brings(text) || !self.is_seen(*at, reach.0) {
                    continue;
                }
                // The module around a file is in another file.
                if !is_of_parent(text) || self.modules().get(reach.0).is_none() {
                    return None;
                }
                is_raised = true;
            }
            if !is_raised {
                return Some(reach);
            }
            reach.0 += 1;
        }
    }

    /// The names, of these, that are surely not in scope at the item, where no import brings all.
    pub(crate) fn lacking<'n>(&self, names: &[&'n str], reach: Reach) -> Vec<&'n str> {
        let is_lacking = |name: &&'n str| (0..=reach.0).all(|up| !self.may_have(name, up));
        let mut lacking = names.to_vec();
        lacking.retain(is_lacking);
        match lacking.is_empty() || self.is_obscure(reach) {
            true => Vec::new(),
            false => lacking,
        }
    }

    /// Where the module of the item begins, if it is not the whole file.
    pub(crate) fn module(&self) -> Option<usize> {
        self.modules().first().map(|&brace| self.here().braces[brace].at)
    }

    /// The modules around the item, from the inside, by the numbers of their braces.
    pub(super) fn modules(&self) -> Vec<usize> {
        let mut modules = Vec::new();
        for (number, brace) in self.here().braces.iter().enumerate() {
            if brace.of == Of::Module {
                modules.push(number);
            }
        }
        modules.reverse();
        modules
    }

    /// True if an item or an import may have a name, so many modules up from the item.
    fn may_have(&self, name: &str, up: usize) -> bool {
        let brings = |text: &str| match syn::parse_str(text) {
            Ok(ItemUse { tree, .. }) => brings_by_a_path(&tree, name),
            Err(_) => true,
        };
        for (_, at) in self.items(&KEYWORDS, name) {
            if self.is_seen(at, up) {
                return true;
            }
        }
        for (at, text) in self.import_texts() {
            if text.contains(name) && brings(&text) && self.is_seen(at, up) {
                return true;
            }
        }
        false
    }

    /// The imports of the file: where they begin, and their texts without comments.
    fn import_texts(&self) -> Vec<(usize, String)> {
        let mut imports = Vec::new();
        for at in self.words("use") {
            if let Some(text) = import_text(&self.source[at..]) {
                imports.push((at, text));
            }
        }
        imports
    }

    /// True if what an import at `at` brings may be in scope at the item, or that many modules up from it.
    fn is_seen(&self, at: usize, up: usize) -> bool {
        if up == 0 && self.seems_beside(at) {
            return true;
        }
        let (here, there) = (&self.here().braces, self.source.scope(at).braces);
        // The names in an `impl` or a trait are its own.
        if there.last().is_some_and(|brace| brace.of == Of::Impl) {
            return false;
        }
        let Some(inner) = up.checked_sub(1) else {
            return here.starts_with(&there) && here[there.len()..].iter().all(|brace| brace.of != Of::Module);
        };
        // The module around a module is not the function in which that stands.
        let inside = self.modules().get(inner + 1).map_or(0, |module| module + 1);
        self.modules().get(inner).is_some() && there == here[..inside]
    }

    /// True if no line between `at` and the item begins left of both, which begin in one column: a look at the lines alone,
    /// by which most imports are found.
    fn seems_beside(&self, at: usize) -> bool {
        let column = |at: usize| {
            let line = &self.source[self.source[..at].rfind('\n').map_or(0, |end| end + 1)..];
            line.len() - line.trim_start_matches([' ', '\t']).len()
        };
        let (from, to) = (at.min(self.at), at.max(self.at));
        let indent = column(at);
        let is_inside = |line: &str| line.trim().is_empty() || line.len() - line.trim_start().len() >= indent;
        let is_of_impl = || self.here().braces.last().is_some_and(|brace| brace.of == Of::Impl);
        indent == column(self.at)
            && (indent == 0 || self.source[from..to].lines().skip(1).all(is_inside) && !is_of_impl())
    }

    /// True if macros, attributes, or the file that includes this one may bring names.
    fn is_obscure(&self, reach: Reach) -> bool {
        !self.here().is_plain()
            || !self.here().is_token
            || may_bring_names(&self.source)
            || self.modules().get(reach.0).is_none() && may_be_included(&self.file)
    }
}

/// The import at the start of a text, without comments.
fn import_text(mut rest: &str) -> Option<String> {
    let mut text = String::new();
    while !text.ends_with(';') {
        let (this, after) = rest.split_at_checked(token(rest).max(1))?;
        match this.starts_with("//") || this.starts_with("/*") {
            true => text.push(' '),
            false if this.chars().all(may_be_in_import) => text.push_str(this),
            false => return None,
        }
        rest = after;
    }
    Some(text)
}

fn may_be_in_import(c: char) -> bool {
    c.is_alphanumeric() || c.is_whitespace() || "_:,{}*#;".contains(c)
}

/// True of `use vyre::prelude::host::*;`.
fn is_of_host(import: &str) -> bool {
    without_spaces(import) == "usevyre::prelude::host::*;"
}

/// True of `use super::*;`.
fn is_of_parent(import: &str) -> bool {
    without_spaces(import) == "usesuper::*;"
}

fn without_spaces(import: &str) -> String {
    import.split_whitespace().collect()
}

#[cfg(test)]
mod tests;
