//! Gathers what is wrong with a kernel, so that all of it is reported in one go.

use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;

/// The faults found so far. A message names the fault; its last line, `help: ..`, names what works.
#[derive(Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
    repeats: bool,
    left: usize,
}

impl Errors {
    /// Refuses what stands at `span`.
    pub(crate) fn refuse(&mut self, span: Span, fault: impl Display, help: impl Display) {
        self.list
            .push(syn::Error::new(span, format_args!("{fault}\nhelp: {help}")));
    }

    /// Refuses all of `tokens`.
    pub(crate) fn refuse_all(&mut self, tokens: &impl ToTokens, fault: impl Display, help: impl Display) {
        self.list
            .push(syn::Error::new_spanned(tokens, format_args!("{fault}\nhelp: {help}")));
    }

    /// Refuses what rustc may refuse too, in its own words: then rustc is not asked, so that the
    /// mistake is reported once.
    pub(crate) fn refuse_unknown(&mut self, span: Span, fault: impl Display, help: impl Display) {
        self.refuse(span, fault, help);
        self.repeats = true;
    }

    /// Notes that rustc would say again what was refused.
    pub(crate) fn repeat(&mut self) {
        self.repeats = true;
    }

    /// Takes over an error of syn.
    pub(crate) fn add(&mut self, error: syn::Error) {
        self.list.push(error);
        self.repeats = true;
    }

    /// Notes a mistake that rustc reports: types that do not agree, a name that is not there.
    pub(crate) fn leave_to_rustc(&mut self) {
        self.left += 1;
    }

    /// Whether rustc will report something.
    pub(crate) fn is_left_to_rustc(&self) -> bool {
        self.left > 0
    }

    /// Whether nothing was refused and nothing left to rustc.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.left == 0
    }

    /// How much was refused or left to rustc; grows with each.
    pub(crate) fn count(&self) -> usize {
        self.list.len() + self.left
    }

    /// Whether rustc would say some of it again.
    pub(crate) fn repeats(&self) -> bool {
        self.repeats
    }

    /// The errors, in the order of the source.
    pub(crate) fn into_vec(mut self) -> Vec<syn::Error> {
        self.list.sort_by_cached_key(|error| {
            let start = error.span().start();
            (start.line, start.column)
        });
        self.list
    }
}

/// Of `known`, the name that `given` was probably meant to be.
pub(crate) fn nearest<'k>(given: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let most = 1 + given.len() / 4;
    known
        .into_iter()
        .map(|name| (distance(given, name, most), name))
        .filter(|&(distance, _)| distance <= most)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The edit distance of two names, or more than `most`.
fn distance(a: &str, b: &str, most: usize) -> usize {
    if a.len().abs_diff(b.len()) > most {
        return most + 1;
    }
    let b = b.as_bytes();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, byte) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let substituted = diagonal + usize::from(byte != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn nearest_name() {
        assert_eq!(nearest("abss", ["abs", "min", "floor"]), Some("abs"));
        assert_eq!(
            nearest("wraping_add", ["wrapping_add", "wrapping_sub"]),
            Some("wrapping_add")
        );
        assert_eq!(nearest("frobnicate", ["abs", "min", "floor"]), None);
        assert_eq!(nearest("", []), None);
    }
}
