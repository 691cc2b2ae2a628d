//! Paths into modules that the user has written out in the same file, of which it shows what they lack.

use super::expansions::{code, may_bring_names};
use super::{Brace, Of, Surroundings, closing, ends_in_word, is_known, scope, without_comments};

impl Surroundings {
    /// True if a path in this item surely leads to nothing.
    pub(crate) fn leads_nowhere(&self, path: &[&str]) -> bool {
        match path {
            [name] => self.lacks(name),
            ["crate", module, name] => self.has_module_in(&[], module, name) && self.is_root(),
            ["self", module, name] => self
                .module_around(0)
                .is_some_and(|braces| self.has_module_in(braces, module, name)),
            ["super", module, name] => self
                .module_around(1)
                .is_some_and(|braces| self.has_module_in(braces, module, name)),
            [module, name] => self.has_module_without(module, name),
            _ => false,
        }
    }

    /// True if a module of the user's stands beside this item, written out, without this name.
    pub(crate) fn has_module_without(&self, module: &str, name: &str) -> bool {
        self.has_module_in(&self.here().braces, module, name)
    }

    /// True if a module stands directly in these braces, written out and surely compiled, without this name.
    fn has_module_in(&self, braces: &[Brace], module: &str, name: &str) -> bool {
        let mut found = self
            .words(module)
            .filter(|&at| ends_in_word(self.source[..at].trim_end(), "mod"));
        found.any(|at| {
            let rest = self.source[at + module.len()..].trim_start();
            let Some(text) = rest.strip_prefix('{') else {
                return false;
            };
            let inside = &text[..closing(text)];
            let there = scope(&self.source, at);
            let is_compiled = || {
                let before = without_comments(&self.source[there.start..at]);
                before.split('#').skip(1).all(is_known)
            };
            there.is_token
                && there.braces == braces
                && there.is_plain()
                && self.here().is_plain()
                && is_compiled()
                && is_closed(inside)
                && !has_word(inside, name)
        })
    }

    /// The line of the one item of a path, of these kinds, that surely stands there and has no mark of vyre's: beside this item,
    /// or in a module beside it.
    pub(crate) fn line_unmarked(&self, keywords: &[&'static str], path: &[&str]) -> Option<usize> {
        let (module, name) = match *path {
            [name] => {
                let found = self.unmarked(keywords, name);
                return found.filter(|(keyword, _)| *keyword != "kernel").map(|(_, line)| line);
            }
            [module, name] => (module, name),
            _ => return None,
        };
        let mut found = self.items(keywords, name).map(|(_, at)| at);
        let at = found.next().filter(|_| found.next().is_none())?;
        let (there, here) = (scope(&self.source, at), self.here());
        let (around, beside) = (there.braces.last()?, there.braces.len() - 1);
        let header = without_comments(&self.source[around.start..around.at]);
        let is_module = around.of == Of::Module && ends_in_word(header.trim_end(), module);
        let before = without_comments(&self.source[there.start..at]);
        let is_marked = |text: &str| text.contains("device") || text.contains("kernel");
        let is_plain = |text: &str| !is_marked(text) && text.split('#').skip(1).all(is_known);
        let is_there = is_module && there.braces[..beside] == here.braces && there.is_token && there.is_plain();
        (is_there && here.is_plain() && is_plain(&before) && is_plain(&header)).then(|| self.line(at))
    }

    /// The braces around the items of the module of this item, or of the one so many modules up, if it is in this file.
    fn module_around(&self, up: usize) -> Option<&[Brace]> {
        let braces = &self.here().braces;
        if let Some(inner) = up.checked_sub(1) {
            self.modules().nth(inner)?;
        }
        Some(&braces[..self.modules().nth(up).map_or(0, |module| module + 1)])
    }

    /// True if this is the file that rustc was given, the root of the crate.
    fn is_root(&self) -> bool {
        let Ok(file) = self.file.canonicalize() else {
            return false;
        };
        let mut inputs = std::env::args_os()
            .skip(1)
            .filter(|it| it.to_string_lossy().ends_with(".rs"));
        inputs.any(|input| std::fs::canonicalize(input).is_ok_and(|input| input == file))
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// True if all names of a module are in its text: no import of all names, macro or attribute brings others.
fn is_closed(inside: &str) -> bool {
    !imports_all(inside) && !may_bring_names(inside)
}

/// True if an import in the text brings all names of a module.
fn imports_all(text: &str) -> bool {
    let code = code(text);
    let mut ends = code.split('*').skip(1);
    ends.any(|rest| rest.trim_start().starts_with([';', ',', '}']))
}
