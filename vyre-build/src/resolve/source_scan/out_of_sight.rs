//! Names that are surely not in scope at an item, since nothing in its file brings them.
//!
//! Where in doubt a name is taken to be there: a glob import, a macro or an unknown attribute may bring it.

use syn::ItemUse;

use super::imports::brings_by_a_path;
use super::included::may_be_included;
use super::{Of, Surroundings, is_known, scope, without_comments};
use crate::resolve::chains::COMMON;
use crate::resolve::dependency;

impl Surroundings {
    /// True if an import may bring all names of vyre's prelude, as one of most files does.
    pub(crate) fn may_import_all(&self) -> bool {
        let mut imports = self.import_texts().filter(|(_, text)| text.contains('*'));
        imports.any(|(at, _)| self.may_see(at))
    }

    /// The names, of these, that are surely not in scope at the item, where no import brings all.
    pub(crate) fn lacking<'n>(&self, names: &[&'n str]) -> Vec<&'n str> {
        let lacking: Vec<&str> = names.iter().copied().filter(|name| !self.may_have(name)).collect();
        match lacking.is_empty() || self.is_obscure() {
            true => Vec::new(),
            false => lacking,
        }
    }

    /// True if surely no item of this name is in scope at the item, and no import of one.
    pub(crate) fn is_missing(&self, name: &str) -> bool {
        let mut globs = self.import_texts().filter(|(_, text)| text.contains('*'));
        let may_bring = globs.any(|(at, text)| !is_of_prelude(text) && self.may_see(at));
        let mut values = self.items(&["fn", "static", "mut"], name);
        !may_bring && !self.may_have(name) && !values.any(|(_, at)| self.may_see(at)) && !self.is_obscure()
    }

    /// Where the module of the item begins, if it is not the whole file.
    pub(crate) fn module(&self) -> Option<usize> {
        let module = self.here().braces.iter().rfind(|brace| brace.of == Of::Module);
        module.map(|brace| brace.at)
    }

    /// True if an item or an import may have a name.
    fn may_have(&self, name: &str) -> bool {
        const KEYWORDS: [&str; 9] = [
            "as", "const", "crate", "enum", "mod", "struct", "trait", "type", "union",
        ];
        let mut imports = self.import_texts().filter(|(_, text)| text.contains(name));
        let brings = |text| syn::parse_str(text).is_ok_and(|it: ItemUse| brings_by_a_path(&it.tree, name));
        self.items(&KEYWORDS, name).any(|(_, at)| self.may_see(at))
            || imports.any(|(at, text)| brings(text) && self.may_see(at))
    }

    /// The imports of the file: where they begin, and their texts.
    fn import_texts(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_part = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_:,{}*#;".contains(c);
        let texts = self
            .words("use")
            .filter_map(|at| Some((at, &self.source[at..=at + self.source[at..].find(';')?])));
        texts.filter(move |(_, text)| text.chars().all(is_part))
    }

    /// True if what an import at `at` brings may be in scope at the item.
    fn may_see(&self, at: usize) -> bool {
        if self.seems_beside(at) {
            return true;
        }
        let (here, there) = (&self.here().braces, scope(&self.source, at).braces);
        here.starts_with(&there) && here[there.len()..].iter().all(|brace| brace.of != Of::Module)
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
        indent == column(self.at) && (indent == 0 || self.source[from..to].lines().skip(1).all(is_inside))
    }

    /// True if macros, attributes of the modules and functions around the item, or the file that includes this one may bring
    /// names.
    fn is_obscure(&self) -> bool {
        const MARKS: [&str; 6] = ["cfg", "ignore", "path", "should_panic", "test", "tests"];
        let is_plain = |attribute: &str| {
            let attribute = attribute.strip_prefix('!').unwrap_or(attribute);
            is_known(attribute) || MARKS.iter().any(|mark| attribute.starts_with(&format!("[{mark}")))
        };
        let is_told = |text: &str| without_comments(text).split('#').skip(1).all(is_plain);
        let mut around = self.here().braces.iter();
        !self.here().is_plain()
            || !self.here().is_token
            || !around.all(|brace| is_told(&self.source[brace.start..brace.at]))
            || self.has_macros()
            || self.module().is_none() && may_be_included(&self.file)
    }

    /// True if a macro is called that is not one of the standard library's or vyre's.
    fn has_macros(&self) -> bool {
        let mut calls = self.source.match_indices('!').filter(|(at, _)| {
            let rest = self.source[at + 1..].trim_start();
            rest.starts_with(['(', '[', '{']) && self.source[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
        });
        calls.any(|(at, _)| {
            let name = self.source[..at]
                .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
                .next();
            let is_known = |name: &str| name == "ptx" || name != "include" && COMMON.contains(&name);
            !name.is_some_and(is_known)
        })
    }
}

/// True of an import of all names of vyre's prelude, or of a part of it.
fn is_of_prelude(text: &str) -> bool {
    let path = text.trim_start_matches("use").trim_start().trim_start_matches("::");
    let vyre = dependency::name();
    let rest = path.strip_prefix(vyre.as_deref().unwrap_or("vyre"));
    rest.is_some_and(|rest| rest.starts_with("::prelude::"))
}

#[cfg(test)]
mod tests;
