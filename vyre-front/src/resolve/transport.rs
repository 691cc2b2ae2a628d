//! Transport of items to their uses, in the tokens of macros.
//!
//! An attribute sees only the tokens of its own item; only rustc can resolve a path. So rustc is
//! made to deliver the items that a kernel mentions:
//!
//! - Beside `fn half`, `#[vyre::device]` generates a `macro_rules!` that carries the function's
//!   tokens, imported under the name `half`. So a path that resolves to the function, through any
//!   imports, also resolves to the macro.
//! - An expansion that mentions `a::half` and `b::quarter` becomes `a::half! { .. }`, a *chain*.
//!   Each macro adds its item and calls the next one, and the last is [`carried`](crate::carried),
//!   which continues with all items. In tokens:
//!
//!   ```text
//!   a::half! { @vyre [b::quarter => [::vyre::__private::carried => []]] {} {errand} }
//!   b::quarter! { @vyre [::vyre::__private::carried => []] {{} bundle} {errand} }
//!   ::vyre::__private::carried! { @vyre [] {{{} bundle} bundle} {errand} }
//!   ```
//!
//!   Groups nest, because a macro copies a group at no cost, but a list token by token.
//! - Names are resolved where they are written: a function that calls others runs a chain at its
//!   own definition, and its macro carries everything reachable from it. Resolving its names at a
//!   kernel would find other items of the same names.
//! - An item that a kernel mentions may have no macro: a constant without the attribute, or a
//!   function that is not a device function. So a kernel calls the macros by aliases, in a block
//!   inside another one that imports [`missing!`] under the same aliases: rustc takes the outer one
//!   if the inner import has no macro. The launcher's struct and constructor are outside of these
//!   blocks; only implementations depend on the chain, and they may be anywhere. A device item has
//!   no such fallback, as its own macro must be beside it: there rustc reports a missing macro.
//! - An unresolved import is reported by rustc, at the user's path. For a single name in a kernel the import always
//!   finds a placeholder, in the namespace in which the kernel does not mention the name: so the name itself is
//!   reported, once. [`declared`](super::declared) tells a misspelt name from an item whose own chain has failed.
//!
//! A bundle is a list of entries, the item of the path first; any item can be carried:
//!
//! ```text
//! [key {item} ["path" key "other::path" key]]
//! ```
//!
//! A key is a number that uniquely identifies an item everywhere; an item in two bundles is taken
//! once. The paths are those that the item mentions, with the keys of their items. The item is
//! empty if it was refused: its errors are reported only at its definition.
//!
//! A `#[vyre::device] mod` is carried as a whole, with the `impl`s in it, and the macro of each of
//! its items carries it: `[key {use module::Vec3;} ["module" key]] [key {mod geometry { .. }}
//! [..]]`.
//!
//! One of vyre's own modules is carried by its name, `[key {"random"} []]`: the compiler has its text.

use std::rc::Rc;

use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use quote::quote;
use syn::{Item, Path, UseTree};

use super::names::{Modules, Names, alone, hash, own_modules};
use crate::by_name::ByName;
use crate::modules::{self, OwnModule};

/// Everything that chains have brought.
#[derive(Default)]
pub(crate) struct Carried {
    pub(crate) entries: Vec<Entry>,
}

/// The items that paths name, by the text of the path: keys, or `None` for an item without a carrier.
pub(crate) type Paths = ByName<Option<u64>>;

/// An item that has travelled.
pub(crate) struct Entry {
    pub(crate) key: u64,
    /// [`Item::Verbatim`] where it was refused.
    pub(crate) item: Item,
    /// The items that its paths name.
    pub(crate) paths: Paths,
    /// The contents, for a `#[vyre::device] mod`.
    pub(crate) modules: Modules,
    /// The tokens as received.
    tokens: TokenTree,
}

impl Carried {
    /// Parses the items gathered by a chain: for each of its macros, in order, the key of its item
    /// if there is one. `None` if the tokens have another form.
    pub(crate) fn gather(gathered: Group) -> Option<(Carried, Vec<Option<u64>>)> {
        let mut carried = Carried::default();
        let mut heads = Vec::new();
        let mut rest = Some(gathered);
        while let Some(group) = rest {
            let mut tokens = group.stream().into_iter();
            // The innermost group is empty.
            let Some(TokenTree::Group(before)) = tokens.next() else {
                break;
            };
            let mut head = None;
            for token in tokens {
                if let TokenTree::Group(_) = token {
                    let key = carried.add(token)?;
                    head.get_or_insert(key);
                }
            }
            heads.push(head);
            rest = Some(before);
        }
        heads.reverse();
        Some((carried, heads))
    }

    fn add(&mut self, entry: TokenTree) -> Option<u64> {
        let TokenTree::Group(group) = &entry else { return None };
        let mut parts = group.stream().into_iter();
        let key: u64 = number(&parts.next()?)?;
        if self.find(key).is_some() {
            return Some(key);
        }
        let (TokenTree::Group(item), TokenTree::Group(table)) = (parts.next()?, parts.next()?) else {
            return None;
        };
        let own = own_module(&item.stream());
        let item = match item.stream() {
            tokens if tokens.is_empty() || own.is_some() => Item::Verbatim(TokenStream::new()),
            tokens => syn::parse2(tokens).ok()?,
        };
        let mut paths = Paths::new();
        let mut table = table.stream().into_iter();
        while let (Some(path), Some(key)) = (table.next(), table.next()) {
            paths.insert(path.to_string().trim_matches('"').to_owned(), number(&key));
        }
        let modules = match (own, &item) {
            (Some(own), _) => own_modules(own, OwnModule::items),
            (None, Item::Mod(item)) => alone(item),
            _ => Modules::default(),
        };
        self.entries.push(Entry {
            key,
            item,
            paths,
            modules,
            tokens: entry,
        });
        Some(key)
    }

    pub(crate) fn find(&self, key: u64) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// A bundle of an item with everything that it reaches.
    pub(crate) fn bundle(&self, key: u64, item: &TokenStream, paths: &[(String, u64)]) -> TokenStream {
        let key = Literal::u64_unsuffixed(key);
        let table = paths.iter().map(|(path, key)| {
            let key = Literal::u64_unsuffixed(*key);
            quote!(#path #key)
        });
        let others = self.entries.iter().map(|entry| &entry.tokens);
        quote!([#key {#item} [#(#table)*]] #(#others)*)
    }
}

impl Entry {
    /// The name of the module's item that this entry refers to.
    pub(crate) fn member(&self) -> Option<String> {
        match &self.item {
            Item::Use(item) => match &item.tree {
                UseTree::Path(path) => match &*path.tree {
                    UseTree::Name(name) => Some(name.ident.to_string()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

/// The module of vyre's own that tokens name, by a string.
fn own_module(tokens: &TokenStream) -> Option<&'static OwnModule> {
    let TokenTree::Literal(name) = tokens.clone().into_iter().next()? else {
        return None;
    };
    modules::find(name.to_string().trim_matches('"'))
}

fn number(token: &TokenTree) -> Option<u64> {
    token.to_string().parse().ok()
}

/// A path as tables of names have it: without generic arguments.
pub(crate) fn text(path: &Path) -> String {
    joined(path, "::", Ident::to_string)
}

/// The names of a path, with a separator between them.
pub(super) fn joined(path: &Path, separator: &str, text: fn(&Ident) -> String) -> String {
    let mut joined = String::new();
    for segment in &path.segments {
        if !joined.is_empty() {
            joined += separator;
        }
        joined += &text(&segment.ident);
    }
    joined
}

/// Paths, each once.
pub(crate) fn distinct(mut paths: Vec<Path>) -> Vec<Path> {
    let mut known = ByName::new();
    paths.retain(|path| known.insert(text(path), ()));
    paths
}

impl Names {
    /// The keys of the items that `paths` lead to.
    fn table(&self, paths: &[String]) -> Vec<(String, u64)> {
        let mut found = Vec::new();
        if let Some(sight) = self.sight() {
            for path in paths {
                if let Some(&Some(key)) = sight.paths.get(path) {
                    found.push((path.clone(), key));
                }
            }
        }
        found
    }

    /// The bundle that carries the item of a key: its tokens and all that its `paths` lead to.
    pub(crate) fn bundle(&self, key: u64, item: &TokenStream, paths: &[String]) -> TokenStream {
        let nothing = Carried::default();
        let carried = self.sight().map_or(&nothing, |sight| &sight.carried);
        carried.bundle(key, item, &self.table(paths))
    }

    /// The key of an item defined here that mentions `paths`.
    pub(crate) fn key_of(&self, name: &Ident, item: &TokenStream, paths: &[String]) -> u64 {
        let table = self.table(paths);
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let start = name.span().start();
        // Macros may write the same tokens at the same place several times, with other meanings.
        hash(&[
            &variable("CARGO_PKG_NAME"),
            &variable("CARGO_PKG_VERSION"),
            &variable("CARGO_CRATE_NAME"),
            &name.span().file(),
            &format!("{}:{}", start.line, start.column),
            &item.to_string(),
            &format!("{table:?}"),
        ])
    }
}

/// The macro's tokens of an item in a module: where it is found in what `module` carries.
pub(crate) fn member(key: u64, name: &Ident, module: u64, bundle: &TokenStream) -> TokenStream {
    let (key, module) = (Literal::u64_unsuffixed(key), Literal::u64_unsuffixed(module));
    quote!([#key {use module::#name;} ["module" #module]] #bundle)
}

/// The names in sight of an item that chains have brought, or of the one that they were run for.
#[derive(Clone)]
pub(crate) struct Sight {
    pub(crate) carried: Rc<Carried>,
    pub(crate) paths: Rc<Paths>,
}
