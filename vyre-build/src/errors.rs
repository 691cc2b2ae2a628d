//! Gathers what is wrong with a kernel, so that all of it is reported in one go.
//!
//! A diagnostic has a code that never changes meaning, a fault in the user's words at the narrowest
//! span, and help: what would work in its place. [`codes`] says how to add one.

mod checks;
mod codes;
mod nearest;
mod nesting;
#[cfg(test)]
mod tests;

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

pub(crate) use checks::{internal, invalid, is_left_to_rustc, too_large};
pub(crate) use codes::Code;
pub(crate) use nearest::{meant, nearest, nearest_within};
pub(crate) use nesting::look;

use crate::surface::{Note, Rejected};

/// A diagnostic: `V0102: the fault`, and in its last line, `help: ..`, what works.
pub(crate) fn diagnostic(code: Code, span: Span, fault: impl Display, help: impl Display) -> syn::Error {
    syn::Error::new(span, message(code, &fault, &help))
}

pub(crate) fn message(code: Code, fault: &dyn Display, help: &dyn Display) -> String {
    format!("{code}: {fault}\nhelp: {help}")
}

/// The message for a type mismatch in an instance of a generic function, in which rustc has seen none.
pub(crate) fn mismatch_of_instance(name: &str) -> String {
    format!(
        "{}: vyre found a type mismatch in `{name}`, as it is called here, but rustc did not: this is a bug in vyre\n\
         help: write out the types of bindings in `{name}`, and please report this call",
        Code::Disagreement
    )
}

/// The message for a constant that vyre cannot evaluate, in which rustc has seen no fault.
fn no_value() -> String {
    format!(
        "{}: vyre found a fault in the evaluation of this constant, but rustc did not: this is a bug in vyre\n\
         help: write the value itself, and please report this constant",
        Code::Disagreement
    )
}

/// The faults found so far.
#[derive(Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
    /// True if rustc would report some of these again; it is then not shown the body.
    repeats: bool,
    /// The number of mistakes that rustc reports.
    left: usize,
    /// The error to report if rustc reports none.
    note: Option<Note>,
    /// True if an item that this one uses was refused, which is reported there.
    elsewhere: bool,
    /// True of an item that rustc checks whatever is refused of it.
    is_checked: bool,
    /// True if rustc is not to see the body of such an item either.
    hides: bool,
}

impl Errors {
    /// Those of a device function, which stays beside what is refused of it.
    pub(crate) fn of_device() -> Self {
        Errors {
            is_checked: true,
            ..Errors::default()
        }
    }

    /// Refuses the code at `span`.
    pub(crate) fn refuse(&mut self, code: Code, span: Span, fault: impl Display, help: impl Display) {
        self.list.push(diagnostic(code, span, fault, help));
    }

    /// Takes over an error.
    pub(crate) fn take(&mut self, error: syn::Error) {
        self.list.push(error);
    }

    /// Refuses all of `tokens`.
    pub(crate) fn refuse_all(&mut self, code: Code, tokens: &impl ToTokens, fault: impl Display, help: impl Display) {
        let message = message(code, &fault, &help);
        self.list
            .push(syn::Error::new_spanned(tokens.to_token_stream(), message));
    }

    /// Refuses code that rustc may refuse too, in its own words: then rustc does not check it, so
    /// that the mistake is reported once.
    pub(crate) fn refuse_unknown(&mut self, code: Code, span: Span, fault: impl Display, help: impl Display) {
        if self.is_checked && matches!(code, Code::UnknownMethod | Code::UnknownField | Code::UnknownIntrinsic) {
            return self.leave_with(span, message(code, &fault, &help));
        }
        self.refuse(code, span, fault, help);
        self.repeats = true;
    }

    /// Notes that rustc would say again what was refused.
    pub(crate) fn repeat(&mut self) {
        self.repeats = true;
    }

    /// Notes that rustc would say again what was refused, in words that lead nowhere, also of the body of a device function.
    pub(crate) fn hide(&mut self) {
        self.repeats = true;
        self.hides = true;
    }

    /// True if rustc is not to see the body.
    pub(crate) fn hides(&self) -> bool {
        self.hides
    }

    /// Takes over an error of syn, which rustc has too.
    pub(crate) fn add(&mut self, code: Code, error: &syn::Error, help: impl Display) {
        self.refuse_unknown(code, error.span(), error, help);
    }

    /// Notes a mistake that rustc reports: types that do not agree, a name that is not there.
    pub(crate) fn leave_to_rustc(&mut self) {
        self.left += 1;
    }

    /// As `leave_to_rustc`, with an error in case rustc has nothing to report.
    pub(crate) fn leave_with(&mut self, span: Span, message: String) {
        self.left += 1;
        self.explain(span, message);
    }

    /// As `refuse_unknown`, unless rustc reports the mistake in the code around the body.
    pub(crate) fn refuse_unseen(&mut self, code: Code, span: Span, fault: impl Display, help: impl Display) {
        self.leave_with(span, message(code, &fault, &help));
        self.repeats = true;
    }

    /// Sets the expression in which rustc finds the fault of the note, where it has none.
    pub(crate) fn unless(&mut self, expression: TokenStream) {
        if let Some(Note { unless, .. }) = &mut self.note {
            unless.get_or_insert(expression);
        }
    }

    /// Says what may be wrong should rustc have nothing to report of what was left to it.
    pub(crate) fn explain(&mut self, span: Span, message: String) {
        self.note.get_or_insert(Note {
            span,
            message,
            unless: None,
            late: false,
        });
    }

    /// Notes a constant that has no value, which rustc reports where it evaluates it: the function around it has no fault.
    pub(crate) fn leave_constant(&mut self, span: Span) {
        self.left += 1;
        self.explain_call(span, no_value());
    }

    /// As `explain`, should rustc have nothing to report of another item: the function that this one calls, a constant in it.
    pub(crate) fn explain_call(&mut self, span: Span, message: String) {
        self.note.get_or_insert(Note {
            span,
            message,
            unless: None,
            late: true,
        });
    }

    /// The note to report if rustc finds nothing wrong.
    pub(crate) fn note(&self) -> Option<Note> {
        self.note.clone()
    }

    /// Records an error that is reported elsewhere: in a function called by this one.
    pub(crate) fn leave_elsewhere(&mut self) {
        self.elsewhere = true;
    }

    /// True if all errors are reported elsewhere.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.elsewhere
    }

    /// Takes over what was found elsewhere. What several instances of a function have in common is said once.
    pub(crate) fn append(&mut self, other: Errors) {
        for error in other.list {
            let text = error.to_string();
            if self.list.iter().all(|known| known.to_string() != text) {
                self.list.push(error);
            }
        }
        self.left += other.left;
        self.note = self.note.take().or(other.note);
        self.elsewhere |= other.elsewhere;
        self.repeats |= other.repeats;
    }

    /// Takes over the errors of one code.
    pub(crate) fn take_all(&mut self, other: Errors, code: Code) {
        let start = format!("{code}: ");
        let of_code = |error: &syn::Error| error.to_string().starts_with(&start);
        self.list.extend(other.list.into_iter().filter(of_code));
    }

    /// Number of errors left to rustc.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Drops the errors left to rustc after the first `after`.
    pub(crate) fn forget_left(&mut self, after: usize) {
        self.left = self.left.min(after);
        if after == 0 {
            self.note = None;
        }
    }

    /// Takes over what is wrong with an item of which this one is made.
    pub(crate) fn adopt(&mut self, rejected: Rejected) {
        self.left += usize::from(rejected.errors.is_empty() && !rejected.elsewhere);
        self.list.extend(rejected.errors);
        self.note = self.note.take().or(rejected.note);
        self.elsewhere |= rejected.elsewhere;
    }

    /// True if something was refused for this reason.
    pub(crate) fn has(&self, code: Code) -> bool {
        let start = format!("{code}: ");
        self.list.iter().any(|error| error.to_string().starts_with(&start))
    }

    /// Refuses all of `tokens` for a fault that is said once of an item, and that rustc would say in words that lead nowhere.
    pub(crate) fn refuse_once(&mut self, code: Code, tokens: &impl ToTokens, fault: &str, help: &str) {
        let start = format!("{code}: {fault}\n");
        if !self.list.iter().any(|error| error.to_string().starts_with(&start)) {
            self.refuse_all(code, tokens, fault, help);
        }
        self.hide();
    }

    /// The message of the first error.
    pub(crate) fn first(&self) -> Option<String> {
        self.list.first().map(ToString::to_string)
    }

    /// True if something was refused.
    pub(crate) fn refuses(&self) -> bool {
        !self.list.is_empty()
    }

    /// True if rustc will report something.
    pub(crate) fn is_left_to_rustc(&self) -> bool {
        self.left > 0
    }

    /// True if rustc will report something, and vyre nothing.
    pub(crate) fn is_all_left(&self) -> bool {
        self.left > 0 && self.list.is_empty() && !self.elsewhere
    }

    /// True if nothing was refused and nothing left to rustc.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.left == 0 && !self.elsewhere
    }

    /// Number of errors refused or left to rustc; grows monotonically.
    pub(crate) fn count(&self) -> usize {
        self.list.len() + self.left + usize::from(self.elsewhere)
    }

    /// True if rustc would say some of it again.
    pub(crate) fn repeats(&self) -> bool {
        self.repeats
    }

    /// The errors, in the order of the source. What is wrong with an item from elsewhere is said where it is first mentioned.
    pub(crate) fn into_vec(self) -> Vec<syn::Error> {
        // There are few, and the library's sort would cost the user compile time.
        let (mut places, mut sorted) = (Vec::new(), Vec::new());
        for error in self.list {
            let start = error.span().start();
            let place = (start.line, start.column);
            let at = places.partition_point(|&known| known <= place);
            // A name imported by a `use` is refused there, independent of its mentions.
            let text = error.to_string();
            let said = |&before: &usize| {
                sorted
                    .get(before)
                    .is_some_and(|known: &syn::Error| known.to_string() == text)
            };
            if (0..at)
                .rev()
                .take_while(|&before| places[before] == place)
                .any(|before| said(&before))
            {
                continue;
            }
            places.insert(at, place);
            sorted.insert(at, error);
        }
        let mut of_items: Vec<String> = Vec::new();
        sorted.retain(|error| {
            let text = error.to_string();
            let is_known = of_items.contains(&text);
            if is_of_item(&text) {
                of_items.push(text);
            }
            !is_known
        });
        sorted
    }
}

/// True of a fault of an item that the code mentions, by its name.
fn is_of_item(message: &str) -> bool {
    const CODES: [Code; 4] = [
        Code::UnknownType,
        Code::UnknownLength,
        Code::CompoundConstant,
        Code::NotDevice,
    ];
    CODES.iter().any(|code| message.starts_with(&code.to_string()))
}
