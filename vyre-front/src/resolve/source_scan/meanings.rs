//! Words that surely mean another item than a launcher of their name.

use super::tokens::is_part;
use super::{Brace, Of, Surroundings, ends_in_word};

impl Surroundings {
    /// The first line, where a type beside the item would be in scope, that means another type or trait of its name than a
    /// launcher.
    pub(crate) fn line_that_means(&self, name: &str) -> Option<usize> {
        for at in self.words(name) {
            if at != self.at && self.is_other_meaning(name, at) && self.reaches(at) {
                return Some(self.line(at));
            }
        }
        None
    }

    /// True if an item beside this one is in scope at `at`.
    fn reaches(&self, at: usize) -> bool {
        let (here, there) = (self.here(), self.source.scope(at));
        let is_open = |brace: &Brace| {
            let header = self.source[brace.start..brace.at].trim_start();
            !matches!(brace.of, Of::Module | Of::Macro) && !is_import(header)
        };
        there.is_token
            && here.is_plain()
            && there.braces.starts_with(&here.braces)
            && there.braces[here.braces.len()..].iter().all(is_open)
            && !is_import(self.source[there.start..at].trim_start())
    }

    /// True of a bound, a type with arguments that are no lifetimes, and the like. A launcher is named in
    /// `Scale::dispatch(..)`, and rarely as `Scale { .. }` or `Scale<'_>`.
    fn is_other_meaning(&self, name: &str, at: usize) -> bool {
        let (before, after) = (
            self.source[..at].trim_end(),
            self.source[at + name.len()..].trim_start(),
        );
        let is_bound = before.ends_with(['+', '&', '<', ',', '>']) || before.ends_with(':') && !before.ends_with("::");
        let is_bound = is_bound || ["impl", "dyn", "mut"].iter().any(|word| ends_in_word(before, word));
        if before.ends_with("::") || is_derived(before) {
            return false;
        }
        if let Some(path) = after.strip_prefix("::") {
            return !path.starts_with(['<', '{']) && !path.starts_with("dispatch");
        }
        match after.strip_prefix('<') {
            Some(arguments) if arguments.trim_start().starts_with('\'') => {
                let list = arguments.split(['>', '<']).next().unwrap_or_default();
                // The launcher of a generic kernel has types too.
                list.contains(',') && !self.is_generic()
            }
            Some(_) => true,
            None => is_bound && (before.ends_with(['+', ':', '>']) || !after.starts_with('{')),
        }
    }

    /// True if the item itself has parameters.
    fn is_generic(&self) -> bool {
        self.source[self.at..]
            .trim_start_matches(is_part)
            .trim_start()
            .starts_with('<')
    }
}

/// True of the start of an import.
fn is_import(text: &str) -> bool {
    let text = text.strip_prefix("pub").map_or(text, |rest| {
        let rest = rest.trim_start();
        rest.strip_prefix('(')
            .and_then(|rest| rest.split_once(')'))
            .map_or(rest, |(_, rest)| rest)
    });
    text.trim_start()
        .strip_prefix("use")
        .is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// True of the text before a name in the list of `#[derive(..)]`, whose names are those of macros.
fn is_derived(before: &str) -> bool {
    before
        .rsplit_once("derive(")
        .is_some_and(|(_, list)| !list.contains(')'))
}

#[cfg(test)]
mod tests;
