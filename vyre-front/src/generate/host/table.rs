//! Values by handle.
//!
//! A list, because macros run without optimisation, where a hash map costs a microsecond for each
//! access.

use std::marker::PhantomData;

use vyre_ir::ir::Handle;

/// A value for each handle, the default one where none was set.
#[derive(Clone, Debug)]
pub(super) struct Table<T, V> {
    values: Vec<V>,
    marker: PhantomData<fn() -> T>,
}

impl<T, V: Copy + Default> Table<T, V> {
    pub(super) fn new() -> Self {
        Table {
            values: Vec::new(),
            marker: PhantomData,
        }
    }

    /// The number of handles up to the last one with a value.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn get(&self, handle: Handle<T>) -> V {
        self.values.get(handle.index()).copied().unwrap_or_default()
    }

    pub(super) fn at(&mut self, handle: Handle<T>) -> &mut V {
        let index = handle.index();
        if index >= self.values.len() {
            self.values.resize(index + 1, V::default());
        }
        &mut self.values[index]
    }
}

impl<T, V> Table<T, V> {
    /// True if no value was set.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<T, V: Copy + Default> Default for Table<T, V> {
    fn default() -> Self {
        Table::new()
    }
}
