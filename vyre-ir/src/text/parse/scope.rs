//! The meaning of names during parsing.

use std::collections::HashMap;

use super::error::{ParseError, ParseErrorKind};
use super::lexer::error_at;
use crate::text::names::is_plain;

/// The meaning of the bare names of one kind.
#[derive(Default)]
pub(super) struct Names {
    bare: HashMap<String, usize>,
}

/// A name where it is declared or referred to: `i`, `i#3` or `#3`.
pub(super) struct Label {
    /// The name; quoted ones only occur in declarations.
    pub(super) name: Option<String>,
    /// The number.
    pub(super) number: Option<usize>,
    /// Its byte offset in the text.
    pub(super) start: usize,
}

impl Names {
    /// Binds a bare name to element `index` unless it is already bound.
    pub(super) fn insert(&mut self, name: &str, index: usize) {
        if is_plain(name) {
            self.bare.entry(name.to_owned()).or_insert(index);
        }
    }

    /// Binds `label` to element `index` and returns the element's name.
    pub(super) fn declare(&mut self, text: &str, label: Label, index: usize) -> Result<String, ParseError> {
        if label.number.is_some_and(|number| number != index) {
            let kind = ParseErrorKind::OutOfOrder { expected: index };
            return Err(error_at(text, label.start, kind));
        }
        let name = label.name.unwrap_or_default();
        if label.number.is_none() && *self.bare.entry(name.clone()).or_insert(index) != index {
            return Err(error_at(text, label.start, ParseErrorKind::Repeated(name)));
        }
        Ok(name)
    }

    /// Resolves `label` to an index; `name_of` returns the name of an existing index.
    pub(super) fn resolve<'n>(
        &self,
        text: &str,
        label: &Label,
        what: &'static str,
        name_of: &dyn Fn(usize) -> Option<&'n str>,
    ) -> Result<usize, ParseError> {
        let found = match (label.number, label.name.as_deref()) {
            (Some(number), name) => name_of(number)
                .filter(|&known| name.is_none_or(|name| name == known))
                .map(|_| number),
            (None, Some(name)) => self.bare.get(name).copied(),
            (None, None) => None,
        };
        found.ok_or_else(|| {
            let mut name = label.name.clone().unwrap_or_default();
            if let Some(number) = label.number {
                name.push_str(&format!("#{number}"));
            }
            error_at(text, label.start, ParseErrorKind::Unknown { what, name })
        })
    }
}
