//! The device items that this process has expanded, for messages about names without a device item.
//!
//! rustc expands all macros of a crate on one thread, and looks a macro up in vain only once nothing is left that could
//! define it. So a kernel whose chain finds no macro of a name can ask here why. No result depends on the answer:
//! where rustc expands in another way, messages lose a suggestion.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use proc_macro2::Ident;

use super::names::plain;
use super::source_scan::Place;
use crate::by_name::ByName;

thread_local! {
    /// The number of attributes on items of a name, and of the macros that carry them.
    static ITEMS: RefCell<ByName<[usize; 2]>> = const { RefCell::new(ByName::new()) };
    static WAITING: RefCell<Vec<Waiting>> = const { RefCell::new(Vec::new()) };
    /// The modules in other files that were refused with their marks.
    static REFUSED_MODULES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// By the names of launchers, the files of their kernels and the places of these there.
    static LAUNCHERS: RefCell<ByName<Vec<(PathBuf, usize)>>> = const { RefCell::new(ByName::new()) };
    /// The types without a mark for which a kernel that was refused has a substitute of its implementations.
    static STUBS: RefCell<Vec<(String, PathBuf)>> = const { RefCell::new(Vec::new()) };
    /// The modules, by their files and where they begin, that were told to import vyre's names.
    static UNIMPORTED: RefCell<Vec<(PathBuf, Option<usize>)>> = const { RefCell::new(Vec::new()) };
}

/// True if the module of an item, which begins at this place of its file, is told for the first time to import vyre's names.
pub(crate) fn is_first_unimported(name: &Ident, module: Option<usize>) -> bool {
    let file = name.span().local_file().unwrap_or_default();
    UNIMPORTED.with_borrow_mut(|known| insert(known, (file, module)))
}

/// True if no kernel of the file has a substitute for what a type of this name lacks; from then on one has.
pub(crate) fn is_first_stub(name: &Ident) -> bool {
    let file = name.span().local_file().unwrap_or_default();
    STUBS.with_borrow_mut(|stubs| insert(stubs, (plain(name), file)))
}

/// Adds what is not in a list. True if it was not.
fn insert<T: PartialEq>(known: &mut Vec<T>, new: T) -> bool {
    let is_new = !known.contains(&new);
    if is_new {
        known.push(new);
    }
    is_new
}

/// Notes the launcher of the kernel whose name stands at this place of a file, and returns the places of the kernels there
/// that have one of the same name.
pub(crate) fn declare_launcher(launcher: &str, file: &Path, at: usize) -> Vec<usize> {
    LAUNCHERS.with_borrow_mut(|launchers| {
        let known = launchers.entry(launcher);
        // The kernels that a macro writes stand at one place.
        let mut is_new = true;
        let mut others = Vec::new();
        for (of, place) in &*known {
            match of == file {
                true if *place == at => is_new = false,
                true => others.push(*place),
                false => {}
            }
        }
        if is_new {
            known.push((file.to_owned(), at));
        }
        others
    })
}

/// Notes that the mark of a module in another file was refused.
pub(crate) fn refuse_module(name: &Ident) {
    REFUSED_MODULES.with_borrow_mut(|refused| refused.push(plain(name)));
}

/// True of a path to an item of a module that was refused.
pub(crate) fn is_in_refused_module(path: &syn::Path) -> bool {
    REFUSED_MODULES.with_borrow(|refused| {
        let mut segments = path.segments.iter();
        segments.next_back();
        !refused.is_empty() && segments.any(|segment| refused.contains(&plain(&segment.ident)))
    })
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
    ITEMS.with_borrow_mut(|items| items.entry(&plain(name))[what] += 1);
}

/// A device item whose chain of macros is under way.
struct Waiting {
    name: String,
    place: Place,
    /// The items beside it that it mentions.
    wanted: Vec<String>,
}

/// Notes that an item waits for others. Where these wait for it in turn, directly or through more items of the same scope,
/// the names from the first to the last of them: no chain of theirs would ever end.
pub(crate) fn cycle(name: &Ident, wanted: &[syn::Path]) -> Option<Vec<String>> {
    let (name, place) = (plain(name), Place::of(name)?);
    let mut names = Vec::new();
    for path in wanted {
        if let Some(name) = path.get_ident() {
            names.push(plain(name));
        }
    }
    let wanted = names;
    WAITING.with_borrow_mut(|waiting| {
        let mut cycle = Vec::new();
        let is_closed = wanted.iter().any(|next| leads_back(waiting, next, &name, &place, &mut cycle))
            // The names may be those of other items.
            && cycle.iter().all(|it| it.place.is_in_scope_of(&place));
        let names = is_closed.then(|| cycle.iter().map(|it| it.name.clone()).collect());
        waiting.push(Waiting { name, place, wanted });
        names
    })
}

/// True if an item of a file waits for the one of this name; `cycle` then has what lies between.
fn leads_back<'w>(waiting: &'w [Waiting], from: &str, name: &str, place: &Place, cycle: &mut Vec<&'w Waiting>) -> bool {
    if from == name || cycle.iter().any(|known| known.name == from) {
        return false;
    }
    let mut items = waiting.iter();
    let Some(item) = items.find(|item| item.name == from && item.place.is_in_file_of(place)) else {
        return false;
    };
    cycle.push(item);
    let leads = |next: &String| leads_back(waiting, next, name, place, cycle);
    if item.wanted.iter().any(|next| next == name) || item.wanted.iter().any(leads) {
        return true;
    }
    cycle.pop();
    false
}

/// True if a device item of this name has no macro: rustc has reported what its own chain did not find.
pub(crate) fn has_failed(name: &str) -> bool {
    ITEMS.with_borrow(|items| items.get(name).is_some_and(|[declared, complete]| declared > complete))
}

/// True if the crate has a device item of this name.
pub(crate) fn is_item(name: &str) -> bool {
    ITEMS.with_borrow(|items| items.contains(name))
}

/// The device item of nearly this name, which is not that of one. An item without the attribute may have it.
pub(crate) fn nearest(name: &str) -> Option<String> {
    ITEMS.with_borrow(|items| {
        let mut known: Vec<&str> = Vec::new();
        for (item, _) in items.iter() {
            if item != name {
                known.push(item);
            }
        }
        crate::errors::nearest_within(1 + name.len() / 8, name, &known).map(str::to_owned)
    })
}
