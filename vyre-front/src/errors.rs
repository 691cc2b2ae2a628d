//! Gathers what is wrong with a kernel, so that all of it is reported in one go.
//!
//! A diagnostic has a code that never changes meaning, a fault in the user's words at the narrowest
//! span, and help: what would work in its place. [`codes`] says how to add one.
//!
//! A kernel that compiles in Rust and that vyre refuses is an error of vyre, by `refuse`. A mistake that rustc may see too
//! is `conditional`: rustc speaks first, and the note shows only where it accepts the body. Types that do not agree are
//! rustc's, by `mismatch`.

mod checks;
mod codes;
mod diagnostic;
mod nearest;
mod nesting;
mod races;
mod rejected;
#[cfg(test)]
mod tests;

use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;

pub(crate) use checks::{bounds_checks, internal, invalid, is_left_to_rustc, too_large};
pub(crate) use codes::Code;
pub use diagnostic::{Diagnostic, Note};
pub use nearest::nearest;
pub(crate) use nearest::{meant, nearest_within};
pub use nesting::{Look, look};
pub(crate) use races::races;
pub use rejected::Rejected;

/// A diagnostic at a span.
pub(crate) fn diagnostic(code: Code, span: Span, fault: impl Display, help: impl Display) -> Diagnostic {
    Diagnostic::new(code, span, &fault, &help)
}

/// A diagnostic of all of `tokens`.
pub(crate) fn spanned(code: Code, tokens: &impl ToTokens, fault: impl Display, help: impl Display) -> Diagnostic {
    Diagnostic::over_tokens(code, tokens.to_token_stream(), &fault, &help)
}

/// The diagnostic of a type mismatch that rustc does not see.
pub(crate) fn disagreement(span: Span, place: &str, what: &str) -> Diagnostic {
    let fault = format!("vyre found a type mismatch in {place}, but rustc did not: this is a bug in vyre");
    let help = format!("write out the types of bindings, and please report this {what}");
    diagnostic(Code::Disagreement, span, fault, help)
}

/// As `disagreement`, in an instance of a generic function.
pub(crate) fn disagreement_of_instance(name: &str, span: Span) -> Diagnostic {
    disagreement(span, &format!("`{name}`, as it is called here"), "call")
}

/// The diagnostic of a constant that vyre cannot evaluate, in which rustc sees no fault.
pub(crate) fn no_value(span: Span) -> Diagnostic {
    let fault = "vyre found a fault in the evaluation of this constant, but rustc did not: this is a bug in vyre";
    let help = "write the value itself, and please report this constant";
    diagnostic(Code::Disagreement, span, fault, help)
}

/// The faults found so far.
#[derive(Default)]
pub(crate) struct Errors {
    list: Vec<Diagnostic>,
    /// The diagnostics for the case that rustc reports nothing.
    notes: Vec<Note>,
    /// The number of mistakes that rustc reports, or else a note.
    left: usize,
    /// True if an item that this one uses was refused, which is reported there.
    elsewhere: bool,
    /// True if rustc would report several errors for one that was refused.
    hides: bool,
}

impl Errors {
    /// Refuses the code at `span`.
    pub(crate) fn refuse(&mut self, code: Code, span: Span, fault: impl Display, help: impl Display) {
        self.take(Diagnostic::new(code, span, &fault, &help));
    }

    /// Takes over an error.
    pub(crate) fn take(&mut self, error: Diagnostic) {
        self.list.push(error);
    }

    /// Refuses all of `tokens`.
    pub(crate) fn refuse_all(&mut self, code: Code, tokens: &impl ToTokens, fault: impl Display, help: impl Display) {
        self.take(Diagnostic::over_tokens(code, tokens.to_token_stream(), &fault, &help));
    }

    /// Refuses code that rustc may refuse too, in its own words: rustc speaks first.
    pub(crate) fn conditional(&mut self, code: Code, span: Span, fault: impl Display, help: impl Display) {
        self.note(Diagnostic::new(code, span, &fault, &help), false);
    }

    /// As `conditional`, of a diagnostic that is there.
    pub(crate) fn conditional_of(&mut self, diagnostic: Diagnostic) {
        self.note(diagnostic, false);
    }

    /// As `conditional`, of a mistake that rustc finds in another item: the function that this one calls, a constant in it.
    pub(crate) fn late(&mut self, diagnostic: Diagnostic) {
        self.note(diagnostic, true);
    }

    fn note(&mut self, diagnostic: Diagnostic, late: bool) {
        self.left += 1;
        self.notes.push(Note { diagnostic, late });
    }

    /// Records types that do not agree, or another mistake of which rustc says all there is to say.
    pub(crate) fn mismatch(&mut self) {
        self.left += 1;
    }

    /// Records an error that is reported elsewhere: in a function called by this one.
    pub(crate) fn elsewhere(&mut self) {
        self.elsewhere = true;
    }

    /// Takes over what was found elsewhere. What several instances of a function have in common is said once.
    pub(crate) fn append(&mut self, other: Errors) {
        for error in other.list {
            let is_same = |known: &Diagnostic| known.is_same(&error);
            if !self.list.iter().any(is_same) {
                self.list.push(error);
            }
        }
        self.left += other.left;
        self.notes.extend(other.notes);
        self.elsewhere |= other.elsewhere;
        self.hides |= other.hides;
    }

    /// As `append`, of a function that this one calls: rustc reports there what it finds.
    pub(crate) fn append_called(&mut self, mut other: Errors) {
        other.notes.iter_mut().for_each(|note| note.late = true);
        self.append(other);
    }

    /// Takes over the errors of one code.
    pub(crate) fn append_code(&mut self, other: Errors, code: Code) {
        self.list.extend(other.list.into_iter().filter(|it| it.code == code));
    }

    /// Number of errors left to rustc.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Drops the errors left to rustc after the first `after`.
    pub(crate) fn forget_left(&mut self, after: usize) {
        self.left = self.left.min(after);
        if after == 0 {
            self.notes.clear();
        }
    }

    /// Takes over what is wrong with an item of which this one is made.
    pub(crate) fn adopt(&mut self, rejected: Rejected) {
        self.left += usize::from(rejected.errors.is_empty() && !rejected.elsewhere);
        self.list.extend(rejected.errors);
        self.notes.extend(rejected.notes);
        self.elsewhere |= rejected.elsewhere;
    }

    /// Notes that rustc would report several errors for one that was refused. Most are known by their codes.
    pub(crate) fn hide(&mut self) {
        self.hides = true;
    }

    /// True if rustc is not to see the body.
    pub(crate) fn hides(&self) -> bool {
        self.hides || self.list.iter().any(Diagnostic::is_of_each_use)
    }

    /// True if something was refused for this reason.
    pub(crate) fn has(&self, code: Code) -> bool {
        self.all().any(|it| it.code == code)
    }

    /// The first error, or else the first note.
    pub(crate) fn first(&self) -> Option<Diagnostic> {
        self.all().next().cloned()
    }

    fn all(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().chain(self.notes.iter().map(|note| &note.diagnostic))
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

    /// True if all errors are reported elsewhere.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.elsewhere
    }

    /// The errors, in the order of the source, and the notes. What is wrong with an item from elsewhere is said where it is
    /// first mentioned.
    pub(crate) fn into_parts(self) -> (Vec<Diagnostic>, Vec<Note>) {
        // There are few, and the library's sort would cost the user compile time.
        let mut sorted: Vec<Diagnostic> = Vec::new();
        for error in self.list {
            let place = error.position();
            let at = sorted.partition_point(|known| known.position() <= place);
            // A name imported by a `use` is refused there, independent of its mentions.
            let mut beside = sorted[..at].iter().rev().take_while(|known| known.position() == place);
            if !beside.any(|known| known.is_same(&error)) {
                sorted.insert(at, error);
            }
        }
        let mut errors: Vec<Diagnostic> = Vec::new();
        for error in sorted {
            if !(is_of_item(error.code) && errors.iter().any(|known| known.is_same(&error))) {
                errors.push(error);
            }
        }
        let mut notes: Vec<Note> = Vec::new();
        for note in self.notes {
            let is_known = |known: &Note| {
                let (known, new) = (&known.diagnostic, &note.diagnostic);
                known.is_same(new) && (is_of_item(new.code) || known.is_beside(new))
            };
            if !notes.iter().any(is_known) {
                notes.push(note);
            }
        }
        (errors, notes)
    }
}

/// True of a fault of an item that the code mentions, by its name.
fn is_of_item(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownType | Code::UnknownLength | Code::CompoundConstant | Code::NotDevice | Code::WideNumber
    )
}
