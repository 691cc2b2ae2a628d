//! The value of each variable at a program point, as a list in chunks that points share.
//!
//! Each branch, break and return keeps the values at its point. Copies of a plain list would cost
//! the number of variables at each of these; here a copy costs a pointer per chunk, and joins only
//! compare the chunks that differ.

use std::rc::Rc;

use crate::ssa::Value;

/// Values in a chunk.
const CHUNK: usize = 32;

/// Values by variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    /// All but the last one are full.
    chunks: Vec<Rc<Vec<Value>>>,
    length: usize,
}

impl Variables {
    /// The number of variables.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn get(&self, variable: usize) -> Value {
        self.chunks[variable / CHUNK][variable % CHUNK]
    }

    pub(super) fn set(&mut self, variable: usize, value: Value) {
        Rc::make_mut(&mut self.chunks[variable / CHUNK])[variable % CHUNK] = value;
    }

    /// Sets neighbouring variables.
    pub(super) fn set_all(&mut self, first: usize, values: &[Value]) {
        for (offset, &value) in values.iter().enumerate() {
            self.set(first + offset, value);
        }
    }

    pub(super) fn push(&mut self, value: Value) {
        if self.length.is_multiple_of(CHUNK) {
            self.chunks.push(Rc::new(Vec::with_capacity(CHUNK)));
        }
        self.length += 1;
        if let Some(last) = self.chunks.last_mut() {
            Rc::make_mut(last).push(value);
        }
    }

    /// Drops all variables but the first ones.
    pub(super) fn truncate(&mut self, length: usize) {
        self.length = length;
        self.chunks.truncate(length.div_ceil(CHUNK));
        let rest = length % CHUNK;
        if let Some(last) = self.chunks.last_mut()
            && rest != 0
            && last.len() != rest
        {
            Rc::make_mut(last).truncate(rest);
        }
    }

    /// The ranges of variables that may differ among several points.
    pub(super) fn differing<'v>(&self, others: impl Iterator<Item = &'v Variables> + Clone) -> Vec<(usize, usize)> {
        let mut ranges = Vec::new();
        for (number, chunk) in self.chunks.iter().enumerate() {
            if others.clone().any(|other| !Rc::ptr_eq(chunk, &other.chunks[number])) {
                let first = number * CHUNK;
                ranges.push((first, first + chunk.len()));
            }
        }
        ranges
    }
}
