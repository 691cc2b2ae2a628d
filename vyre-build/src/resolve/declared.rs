//! The device items that this process has expanded, for messages about names without a device item.
//!
//! rustc expands all macros of a crate on one thread, and looks a macro up in vain only once nothing is left that could
//! define it. So a kernel whose chain finds no macro of a name can ask here why. No result depends on the answer:
//! where rustc expands in another way, messages lose a suggestion.

use std::cell::RefCell;
use std::collections::HashMap;

use proc_macro2::Ident;

use super::names::plain;

thread_local! {
    /// The number of attributes on items of a name, and of the macros that carry them.
    static ITEMS: RefCell<HashMap<String, [usize; 2]>> = RefCell::default();
}

/// Notes that an attribute on an item of this name is expanded.
pub(crate) fn declare(name: &Ident) {
    count(name, 0);
}

/// Notes that the macro that carries an item is written.
pub(crate) fn complete(name: &Ident) {
    count(name, 1);
}

fn count(name: &Ident, what: usize) {
    ITEMS.with_borrow_mut(|items| items.entry(plain(name)).or_default()[what] += 1);
}

/// True if a device item of this name has no macro: rustc has reported what its own chain did not find.
pub(crate) fn has_failed(name: &str) -> bool {
    ITEMS.with_borrow(|items| items.get(name).is_some_and(|[declared, complete]| declared > complete))
}

/// The device item of nearly this name, which is not that of one. An item without the attribute may have it.
pub(crate) fn nearest(name: &str) -> Option<String> {
    ITEMS.with_borrow(|items| {
        let mut known: Vec<&str> = items
            .keys()
            .map(String::as_str)
            .filter(|known| *known != name)
            .collect();
        known.sort_unstable();
        crate::errors::nearest_within(1 + name.len() / 8, name, &known).map(str::to_owned)
    })
}
