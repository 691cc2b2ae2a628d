//! The outcome of a kernel or device item that is not accepted.

use std::fmt;

use proc_macro2::{Ident, TokenStream};

use super::{Diagnostic, Note};
use crate::surface::{Namespace, Surface};

/// A kernel that the front end has refused, or left to rustc.
#[derive(Clone)]
pub struct Rejected {
    /// The signature, where at least that could be read. The stub is made from it, so that
    /// callers get no second wave of errors.
    pub surface: Option<Surface>,
    /// The function for rustc to check, so that its errors come in the same go.
    pub checked: TokenStream,
    /// True if an error is reported elsewhere, in a device function.
    pub elsewhere: bool,
    /// True if rustc is not to see the body of a device function.
    pub(crate) hides: bool,
    /// The paths of items that must be carried here before the body can be read.
    pub wanted: Vec<syn::Path>,
    /// The names among `wanted` whose imports can be made to succeed, by the namespace in which the body does not
    /// mention them.
    pub(crate) unused: Vec<(Ident, Namespace)>,
    /// The errors, one for each fault. Empty if rustc may report all of them.
    pub errors: Vec<Diagnostic>,
    /// The errors in case rustc finds nothing wrong with what was left to it.
    pub notes: Vec<Note>,
}

impl fmt::Debug for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Rejected");
        shown
            .field("surface", &self.surface)
            .field("errors", &self.errors)
            .finish_non_exhaustive()
    }
}

impl Rejected {
    /// The errors, or else the notes, for callers that do not ask rustc.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let notes = self.notes.iter().filter(|_| self.errors.is_empty());
        let notes = notes.map(|note| &note.diagnostic).filter(|note| !note.is_of_vyre());
        self.errors.iter().chain(notes)
    }

    /// True if nothing is wrong, but items are missing that must be carried here.
    pub(crate) fn is_waiting(&self) -> bool {
        self.errors.is_empty() && !self.wanted.is_empty()
    }
}
