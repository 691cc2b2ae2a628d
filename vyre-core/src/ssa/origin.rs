//! The accesses of the source that operations carry out, with the calls that were inlined to get there.

use super::{Span, Value};
use crate::ir::{Function, Handle};
use crate::validate::AccessId;

/// A body that was inlined: which function, by which call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inlined {
    /// The function.
    pub(crate) function: Handle<Function>,
    /// The inlined body in which the call stands; `None` is the entry.
    pub(crate) caller: Option<u32>,
    /// Where the call stands in the source.
    pub(crate) span: Span,
}

/// An access of an inlined body, or of the entry (`None`).
pub(crate) type Access = (Option<u32>, AccessId);

/// The accesses of a graph, and the operations that carry them out or guard them.
///
/// Beside the values rather than in them: few have one, and passes copy values all the time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    /// The inlined bodies, each after the one in which its call stands.
    pub(crate) inlined: Vec<Inlined>,
    /// The accesses, by number.
    pub(crate) accesses: Vec<Access>,
    /// Operations and the numbers of their accesses, by ascending value.
    values: Vec<(Value, u32)>,
}

impl Origins {
    /// Lets an operation carry out an access.
    pub(crate) fn add(&mut self, value: Value, access: Access) {
        // The words of a value are accessed one after the other.
        if self.accesses.last() != Some(&access) {
            self.accesses.push(access);
        }
        self.set(value, self.accesses.len() as u32 - 1);
    }

    /// Lets an operation carry out the access of this number.
    pub(crate) fn set(&mut self, value: Value, access: u32) {
        let at = self.values.partition_point(|&(known, _)| known < value);
        self.values.insert(at, (value, access));
    }

    /// The number of the access that an operation carries out or guards.
    pub(crate) fn of(&self, value: Value) -> Option<u32> {
        let at = self.values.binary_search_by_key(&value, |&(known, _)| known).ok()?;
        Some(self.values[at].1)
    }
}
