//! The device items that this process has expanded, for messages about names without a device item.
//!
//! rustc expands all macros of a crate on one thread, and looks a macro up in vain only once nothing is left that could
//! define it. So a kernel whose chain finds no macro of a name can ask here why. No result depends on the answer:
//! where rustc expands in another way, messages lose a suggestion.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use proc_macro2::Ident;

use super::names::plain;
use super::source_scan::Place;

thread_local! {
    /// The number of attributes on items of a name, and of the macros that carry them.
    static ITEMS: RefCell<HashMap<String, [usize; 2]>> = RefCell::default();
    static WAITING: RefCell<Vec<Waiting>> = RefCell::default();
    /// The modules in other files that were refused with their marks.
    static REFUSED_MODULES: RefCell<HashSet<String>> = RefCell::default();
    /// By the names of launchers, the files of their kernels and the places of these there.
    static LAUNCHERS: RefCell<HashMap<String, Vec<(PathBuf, usize)>>> = RefCell::default();
    /// The types without a mark for which a kernel that was refused has a substitute of its implementations.
    static STUBS: RefCell<HashSet<(String, PathBuf)>> = RefCell::default();
    /// The modules, by their files and where they begin, that were told to import vyre's names.
    static UNIMPORTED: RefCell<HashSet<(PathBuf, Option<usize>)>> = RefCell::default();
}

/// True if the module of an item, which begins at this place of its file, is told for the first time to import vyre's names.
pub(crate) fn is_first_unimported(name: &Ident, module: Option<usize>) -> bool {
    let file = name.span().local_file().unwrap_or_default();
    UNIMPORTED.with_borrow_mut(|known| known.insert((file, module)))
}

/// True if no kernel of the file has a substitute for what a type of this name lacks; from then on one has.
pub(crate) fn is_first_stub(name: &Ident) -> bool {
    let file = name.span().local_file().unwrap_or_default();
    STUBS.with_borrow_mut(|stubs| stubs.insert((plain(name), file)))
}

/// Notes the launcher of the kernel whose name stands at this place of a file, and returns the places of the kernels there
/// that have one of the same name.
pub(crate) fn declare_launcher(launcher: &str, file: &Path, at: usize) -> Vec<usize> {
    LAUNCHERS.with_borrow_mut(|launchers| {
        let known = launchers.entry(launcher.to_owned()).or_default();
        let is_other = |(of, place): &&(PathBuf, usize)| of == file && *place != at;
        let others = known.iter().filter(is_other).map(|&(_, place)| place).collect();
        known.push((file.to_owned(), at));
        others
    })
}

/// Notes that the mark of a module in another file was refused.
pub(crate) fn refuse_module(name: &Ident) {
    REFUSED_MODULES.with_borrow_mut(|refused| refused.insert(plain(name)));
}

/// True of a path to an item of a module that was refused.
pub(crate) fn is_in_refused_module(path: &syn::Path) -> bool {
    let mut modules = path.segments.iter().rev().skip(1).map(|segment| plain(&segment.ident));
    REFUSED_MODULES.with_borrow(|refused| !refused.is_empty() && modules.any(|module| refused.contains(&module)))
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
    let wanted: Vec<String> = wanted.iter().filter_map(syn::Path::get_ident).map(plain).collect();
    WAITING.with_borrow_mut(|waiting| {
        let mut cycle = Vec::new();
        let is_closed = wanted.iter().any(|next| leads_back(waiting, next, &name, &place, &mut cycle))
            // The names may be those of other items.
            && cycle.iter().all(|it| it.place.is_in_scope_of(&place));
        let names = cycle.iter().map(|it| it.name.clone()).collect();
        waiting.push(Waiting { name, place, wanted });
        is_closed.then_some(names)
    })
}

/// True if an item of a file waits for the one of this name; `cycle` then has what lies between.
fn leads_back<'w>(waiting: &'w [Waiting], from: &str, name: &str, place: &Place, cycle: &mut Vec<&'w Waiting>) -> bool {
    let is_known = from == name || cycle.iter().any(|known| known.name == from);
    let mut items = waiting
        .iter()
        .filter(|item| item.name == from && item.place.is_in_file_of(place));
    let Some(item) = items.next().filter(|_| !is_known) else {
        return false;
    };
    cycle.push(item);
    let is_last = item.wanted.iter().any(|next| next == name);
    if is_last
        || item
            .wanted
            .iter()
            .any(|next| leads_back(waiting, next, name, place, cycle))
    {
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
    ITEMS.with_borrow(|items| items.contains_key(name))
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
