//! The accesses of the source implemented by operations, with the chain of inlined calls.

use vyre_ir::ir::{Function, Handle};
use vyre_ir::validate::AccessId;

use super::{Span, Value};

/// An inlined body: the function and the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inlined {
    /// The function.
    pub(crate) function: Handle<Function>,
    /// The inlined body that contains the call; `None` for the entry.
    pub(crate) caller: Option<u32>,
    /// The source location of the call.
    pub(crate) span: Span,
}

/// An access of an inlined body, or of the entry (`None`).
pub(crate) type Access = (Option<u32>, AccessId);

/// The accesses of a graph, and the operations that implement or guard them.
///
/// Stored beside the values: few have one, and passes copy values all the time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    /// The inlined bodies, each after the one that contains its call.
    pub(crate) inlined: Vec<Inlined>,
    /// The accesses, by index.
    pub(crate) accesses: Vec<Access>,
    /// Operations and the indices of their accesses, by ascending value.
    values: Vec<(Value, u32)>,
}

impl Origins {
    /// Assigns an access to an operation.
    pub(crate) fn add(&mut self, value: Value, access: Access) {
        // The words of a value are accessed one after the other.
        if self.accesses.last() != Some(&access) {
            self.accesses.push(access);
        }
        self.set(value, self.accesses.len() as u32 - 1);
    }

    /// Assigns the access of this index to an operation.
    pub(crate) fn set(&mut self, value: Value, access: u32) {
        let at = self.values.partition_point(|&(known, _)| known < value);
        self.values.insert(at, (value, access));
    }

    /// The index of the access that an operation implements or guards.
    pub(crate) fn of(&self, value: Value) -> Option<u32> {
        let at = self.values.binary_search_by_key(&value, |&(known, _)| known).ok()?;
        Some(self.values[at].1)
    }
}
