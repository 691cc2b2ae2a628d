//! Operand lists, for operations with any number of operands.
//!
//! The operands of most operations are stored in the [`Op`](super::op::Op) itself. Those of an
//! `mma` or of inline PTX are stored consecutively in a pool of the function, and the operation
//! holds a [`ValueList`]: eight bytes and `Copy`, whatever the number of operands.
//!
//! A list belongs to one operation. A copy of the operation gets a copy of the list
//! ([`Function::duplicate`](super::Function::duplicate)), so that operands can be replaced in
//! place. Lists of removed operations stay in the pool, like values in theirs.

use super::function::Value;

/// The operands of one operation, in the [`ValueLists`] of its function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ValueList {
    start: u32,
    length: u32,
}

/// The pool of a function's operand lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueLists {
    values: Vec<Value>,
}

impl ValueLists {
    /// A new list.
    pub(crate) fn add(&mut self, values: &[Value]) -> ValueList {
        let start = self.values.len() as u32;
        self.values.extend_from_slice(values);
        let length = values.len() as u32;
        ValueList { start, length }
    }

    /// A new list of the same values.
    pub(crate) fn copy(&mut self, list: ValueList) -> ValueList {
        let start = self.values.len() as u32;
        self.values.extend_from_within(list.range());
        let length = list.length;
        ValueList { start, length }
    }

    /// The values of a list.
    pub(crate) fn get(&self, list: ValueList) -> &[Value] {
        &self.values[list.range()]
    }

    /// The values of a list, to be changed.
    pub(crate) fn get_mut(&mut self, list: ValueList) -> &mut [Value] {
        &mut self.values[list.range()]
    }
}

impl ValueList {
    /// True if it has no values, as that of most operations.
    pub(crate) fn is_empty(self) -> bool {
        self.length == 0
    }

    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.length) as usize
    }
}
