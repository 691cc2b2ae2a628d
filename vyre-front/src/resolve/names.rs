//! The names in sight of an item: modules, imports, and what chains of macros have brought.

use std::fmt;
use std::rc::Rc;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Attribute, Item, ItemImpl, ItemMod, UseTree};

use super::attributes;
use super::items::named;
use super::transport::{Carried, Entry, Paths, Sight};
use crate::by_name::ByName;
use crate::modules::{self, OwnModule};

/// The names that a kernel may mention besides its own. An attribute sees none of them, so its
/// names are empty and rustc supplies the values of constants; a build script sees its files.
#[derive(Clone, Default)]
pub struct Names {
    /// Names that are not here are refused, rather than left to rustc.
    pub(crate) complete: bool,
    /// The name of the file, where the tokens do not know it.
    pub(crate) file: Option<String>,
    /// All modules that are in sight, the outermost first.
    modules: Modules,
    /// The module that the names are seen from.
    here: usize,
    /// The key of a `#[vyre::device] mod` that an attribute sees.
    module: Option<u64>,
    /// The items that chains of macros have brought, once they have run.
    sight: Option<Sight>,
    /// True if chains can be sent for what is not here.
    asks: bool,
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Names")
            .field("complete", &self.complete)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// Modules, each at its number.
pub(crate) type Modules = Rc<Vec<Module>>;

/// A module, by the names of what it holds.
#[derive(Default)]
pub(crate) struct Module {
    /// The names of the modules around it and its own, for keys: `::geometry`.
    path: String,
    parent: Option<usize>,
    modules: ByName<usize>,
    /// True if it is a `#[vyre::device] mod`.
    is_device: bool,
    /// The key of one of vyre's own, the same wherever it is in sight.
    key: Option<u64>,
    /// The `impl`s of such a module.
    impls: Rc<Vec<ItemImpl>>,
    /// Constants, functions, structs, enums, type aliases and traits.
    items: ByName<Item>,
    /// The imports: the path of each name.
    uses: ByName<Vec<String>>,
    /// The modules that `use ..::*` opens.
    globs: Vec<Vec<String>>,
}

/// An item, and the names in scope at its definition.
pub(crate) struct Found<'n> {
    /// [`Item::Verbatim`] if it was refused, which is reported at its definition.
    pub(crate) item: &'n Item,
    pub(crate) names: Names,
    /// Its unique key.
    pub(crate) key: u64,
}

/// Limit of the length of a chain of `use`s: longer ones are cycles.
const MOST_USES: usize = 32;

/// Where the collectives of `vyre::block` are.
const COLLECTIVES: &str = "vyre::block";

/// Where those of `vyre::warp` are.
const OF_WARPS: &str = "vyre::warp";

/// Where the functions of mathematics are.
const MATH: &str = "vyre::math";

impl Names {
    /// The names of a file that a build script reads, which is called `name` in messages.
    pub fn of_file(name: &str, file: &syn::File) -> Self {
        let mut modules = Vec::new();
        add(&mut modules, &file.items, None, String::new(), false);
        let text = file.to_token_stream().to_string();
        let mut mentioned = Vec::new();
        for own in &modules::ALL {
            if text.split(' ').any(|word| word == own.path) {
                mentioned.push(own);
            }
        }
        mount(&mut modules, mentioned, OwnModule::items);
        Names {
            complete: true,
            file: Some(name.to_owned()),
            modules: Rc::new(modules),
            ..Names::default()
        }
    }

    /// The names that the `#[vyre::device] mod` of a key sees, whose attribute sees these.
    pub(crate) fn of_module(&self, item: &ItemMod, key: u64) -> Names {
        Names {
            modules: alone(item),
            module: Some(key),
            ..self.clone()
        }
    }

    /// The names that an attribute sees: those that chains of macros have brought.
    pub(crate) fn carried(carried: Rc<Carried>, paths: Paths) -> Self {
        Names {
            sight: Some(Sight {
                carried,
                paths: Rc::new(paths),
            }),
            asks: true,
            ..Names::default()
        }
    }

    /// The names that an attribute sees at first: none, but chains of macros can bring some.
    pub(crate) fn of_attribute() -> Self {
        Names {
            asks: true,
            ..Names::default()
        }
    }

    /// Those that functions of the standard library see, in a file whose tokens do not know its name.
    pub(crate) fn of_library(file: Option<String>) -> Self {
        Names {
            file,
            ..Names::default()
        }
    }

    /// True if these are the names that functions of the library see.
    pub(crate) fn is_library(&self) -> bool {
        self.modules.is_empty() && self.sight.is_none() && !self.asks && !self.complete
    }

    /// Those that functions of `vyre_abi::math` for one number type see: its modules, side by side.
    pub(crate) fn of_math(precision: &str, files: &[(String, Vec<Item>)], file: Option<String>) -> Self {
        let mut modules = vec![Module {
            path: format!("::{precision}"),
            ..Module::default()
        }];
        for (name, items) in files {
            let number = add(&mut modules, items, Some(0), format!("::{precision}::{name}"), true);
            modules[0].modules.insert(name.clone(), number);
        }
        Names {
            complete: true,
            file,
            modules: Rc::new(modules),
            module: Some(hash(&[MATH])),
            ..Names::default()
        }
    }

    /// Those that the collectives of `vyre::block` or `vyre::warp` see: each other.
    pub(crate) fn of_collectives(module: &str, items: &[Item], file: Option<String>) -> Self {
        let mut modules = Vec::new();
        add(&mut modules, items, None, format!("::{module}"), true);
        Names {
            complete: true,
            file,
            modules: Rc::new(modules),
            module: Some(hash(&[&format!("vyre::{module}")])),
            ..Names::default()
        }
    }

    /// True if these are the names that functions of `vyre_abi::math` see.
    pub(crate) fn is_math(&self) -> bool {
        self.module.is_some_and(|module| module == hash(&[MATH]))
    }

    /// True if these are the names that collectives see.
    pub(crate) fn is_collectives(&self) -> bool {
        self.is_block_collectives() || self.module.is_some_and(|module| module == hash(&[OF_WARPS]))
    }

    /// True if these are the names that collectives of blocks see.
    pub(crate) fn is_block_collectives(&self) -> bool {
        self.module.is_some_and(|module| module == hash(&[COLLECTIVES]))
    }

    /// The names that one of vyre's own modules sees, of its `items`.
    pub(crate) fn of_own(own: &OwnModule, items: fn(&OwnModule) -> Vec<Item>) -> Self {
        Names {
            complete: true,
            modules: own_modules(own, items),
            ..Names::default()
        }
    }

    /// The items that chains of macros have brought.
    pub(crate) fn sight(&self) -> Option<&Sight> {
        self.sight.as_ref()
    }

    /// True if a chain of macros may be sent for the item of a path.
    pub(crate) fn may_ask(&self, path: &str) -> bool {
        self.asks && !self.has_asked(path)
    }

    /// True if a chain was sent for the item of a path.
    pub(crate) fn has_asked(&self, path: &str) -> bool {
        self.sight().is_some_and(|sight| sight.paths.contains(path))
    }

    /// True if an item with these attributes lacks the one that makes it a device item: those that
    /// attributes see have it.
    pub(crate) fn is_unmarked(&self, attributes: &[Attribute]) -> bool {
        self.complete && !self.is_device_mod() && !attributes.iter().any(attributes::is_device)
    }

    /// True if these are the names of a `#[vyre::device] mod`, all of whose items are of the device.
    pub(crate) fn is_device_mod(&self) -> bool {
        self.modules.get(self.here).is_some_and(|module| module.is_device)
    }

    /// The `impl`s of the module, if it is one of the device.
    pub(crate) fn impls(&self) -> Rc<Vec<ItemImpl>> {
        let module = self.modules.get(self.here);
        module.map(|module| Rc::clone(&module.impls)).unwrap_or_default()
    }

    /// True if these are names that chains of macros have brought.
    pub(crate) fn is_carried(&self) -> bool {
        self.sight.is_some()
    }

    /// The names as the module `name` of this one sees them.
    pub fn inside(&self, name: &str) -> Names {
        let module = self.modules.get(self.here);
        let here = module.and_then(|module| module.modules.get(name));
        Names {
            here: here.copied().unwrap_or(self.here),
            ..self.clone()
        }
    }

    /// True if this module has one of the user's of this name.
    pub(crate) fn has_module(&self, name: &str) -> bool {
        let module = self.modules.get(self.here);
        module.is_some_and(|module| module.modules.contains(name))
    }

    /// The constant, function, struct, enum, type alias or trait that a path names.
    pub(crate) fn find(&self, path: &[&str]) -> Option<Found<'_>> {
        let here = self.find_from(self.here, path, MOST_USES, true);
        here.or_else(|| self.find_carried(self.sight.as_ref()?, &path.join("::")))
    }

    /// As [`find`](Names::find), by a path of syn's.
    pub(crate) fn find_path(&self, path: &syn::Path) -> Option<Found<'_>> {
        self.find(&super::transport::text(path).split("::").collect::<Vec<_>>())
    }

    /// The trait of the user's that a path names, if it is in sight.
    pub(crate) fn find_trait(&self, path: &syn::Path) -> Option<&syn::ItemTrait> {
        match self.find_path(path)?.item {
            Item::Trait(item) => Some(item),
            _ => None,
        }
    }

    fn find_carried<'n>(&'n self, sight: &'n Sight, path: &str) -> Option<Found<'n>> {
        let mut entry = sight.carried.find((*sight.paths.get(path)?)?)?;
        let mut member = None;
        if let Item::Use(_) = &entry.item {
            // It is in a module, which was carried as a whole.
            member = entry.member();
            entry = sight.carried.find(entry.paths.iter().find_map(|(_, key)| *key)?)?;
        }
        let names = self.of_entry(sight, entry);
        if let (Some(member), Some(module)) = (member, entry.modules.first()) {
            let item = module.items.get(&member)?;
            let key = names.key(&member);
            return Some(Found { item, names, key });
        }
        Some(Found {
            item: &entry.item,
            names,
            key: entry.key,
        })
    }

    /// The names in sight of an item that chains have brought.
    fn of_entry(&self, sight: &Sight, entry: &Entry) -> Names {
        Names {
            sight: Some(Sight {
                carried: Rc::clone(&sight.carried),
                paths: Rc::new(entry.paths.clone()),
            }),
            modules: Rc::clone(&entry.modules),
            here: 0,
            module: Some(entry.key),
            ..self.clone()
        }
    }

    /// The names that each `#[vyre::device] mod` sees that is in sight.
    pub(crate) fn device_mods(&self) -> Vec<Names> {
        let mut mods = Vec::new();
        for (here, module) in self.modules.iter().enumerate() {
            if module.is_device {
                mods.push(Names { here, ..self.clone() });
            }
        }
        if let Some(sight) = &self.sight {
            for entry in &sight.carried.entries {
                if !entry.modules.is_empty() {
                    mods.push(self.of_entry(sight, entry));
                }
            }
        }
        mods
    }

    /// True if the trait of a key, which is called `name`, is in scope; `None` where imports are not in sight.
    pub(crate) fn imports(&self, key: u64, name: &str) -> Option<bool> {
        let module = self.modules.get(self.here).filter(|_| self.complete)?;
        let leads = |name: &str| self.find(&[name]).is_some_and(|found| found.key == key);
        Some(leads(name) || module.uses.iter().any(|(name, _)| leads(name)))
    }

    /// The key of an item of this module.
    pub(crate) fn key(&self, item: &str) -> u64 {
        let here = self.modules.get(self.here);
        if let Some(key) = here.and_then(|module| module.key) {
            return hash(&[&format!("{key:x}"), item]);
        }
        let module = here.map_or("", |module| &module.path);
        if let Some(key) = self.module {
            return hash(&[&format!("{key:x}"), module, item]);
        }
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        let file = self.file.as_deref().unwrap_or_default();
        hash(&[&package, file, module, item])
    }

    /// `globs` is true if glob imports are followed: those inside a glob import are not.
    fn find_from(&self, here: usize, path: &[&str], uses: usize, globs: bool) -> Option<Found<'_>> {
        let module = self.modules.get(here)?;
        let (&first, rest) = path.split_first()?;
        if first == "self" {
            return self.find_from(here, rest, uses, globs);
        }
        if first == "super" {
            return self.find_from(module.parent?, rest, uses, true);
        }
        if let Some(&inner) = module.modules.get(first)
            && !rest.is_empty()
        {
            return self.find_from(inner, rest, uses, true);
        }
        if rest.is_empty()
            && let Some(item) = module.items.get(first)
        {
            let names = Names { here, ..self.clone() };
            let key = names.key(first);
            return Some(Found { item, names, key });
        }
        if first == "vyre"
            && let Some(&vyre) = self.modules.first().and_then(|root| root.modules.get(first))
            && !rest.is_empty()
        {
            return self.find_from(vyre, rest, uses, true);
        }
        let uses = uses.checked_sub(1)?;
        if let Some(target) = module.uses.get(first) {
            return self.find_from(here, &joined(target, rest), uses, globs);
        }
        if globs {
            for glob in &module.globs {
                if let Some(found) = self.find_from(here, &joined(glob, path), uses, false) {
                    return Some(found);
                }
            }
        }
        None
    }
}

/// A path behind another one.
fn joined<'p>(outer: &'p [String], inner: &[&'p str]) -> Vec<&'p str> {
    let mut whole: Vec<&str> = Vec::new();
    for name in outer {
        whole.push(name);
    }
    whole.extend_from_slice(inner);
    whole
}

/// One of vyre's own modules, and those that it imports from.
pub(super) fn own_modules(own: &OwnModule, items: fn(&OwnModule) -> Vec<Item>) -> Modules {
    let mut all = Vec::new();
    add_own(&mut all, &items(own), own, None);
    mount(&mut all, imported(own), items);
    Rc::new(all)
}

/// Adds one of vyre's own modules, and returns its number.
fn add_own(all: &mut Vec<Module>, items: &[Item], own: &OwnModule, parent: Option<usize>) -> usize {
    let number = add(all, items, parent, String::new(), true);
    all[number].key = Some(own_key(own));
    number
}

/// The key of one of vyre's own modules.
pub(crate) fn own_key(own: &OwnModule) -> u64 {
    hash(&["vyre", own.name])
}

/// Puts vyre's own modules, and those that they import from, where paths find them: `vyre::vector`.
fn mount(all: &mut Vec<Module>, mut wanted: Vec<&OwnModule>, items: fn(&OwnModule) -> Vec<Item>) {
    let mut known = Vec::new();
    while let Some(own) = wanted.pop() {
        if known.contains(&own.name) || all[0].modules.contains("vyre") && known.is_empty() {
            continue;
        }
        known.push(own.name);
        let vyre = inner(all, 0, "vyre");
        let around = inner(all, vyre, own.path);
        let number = add_own(all, &items(own), own, Some(around));
        all[around].modules.insert(own.name.to_owned(), number);
        all[around].globs.push(vec![own.name.to_owned()]);
        wanted.append(&mut imported(own));
    }
}

/// Those of vyre's own modules that one imports from.
fn imported(own: &OwnModule) -> Vec<&'static OwnModule> {
    let mut imported = Vec::new();
    for name in own.uses {
        imported.extend(modules::find(name));
    }
    imported
}

/// The module of a name in another one, which is added if there is none.
fn inner(all: &mut Vec<Module>, outer: usize, name: &str) -> usize {
    if let Some(&known) = all[outer].modules.get(name) {
        return known;
    }
    let number = all.len();
    all.push(Module {
        parent: Some(outer),
        ..Module::default()
    });
    all[outer].modules.insert(name.to_owned(), number);
    number
}

/// A `#[vyre::device] mod` without those around it and in it.
pub(crate) fn alone(item: &ItemMod) -> Modules {
    let mut modules = Vec::new();
    if let Some((_, items)) = &item.content {
        let mut own = items.clone();
        own.retain(|item| !matches!(item, Item::Mod(_)));
        add(&mut modules, &own, None, String::new(), true);
    }
    Rc::new(modules)
}

/// Adds a module with all that it holds, and returns its number.
fn add(modules: &mut Vec<Module>, items: &[Item], parent: Option<usize>, path: String, is_device: bool) -> usize {
    let number = modules.len();
    let mut module = Module {
        parent,
        is_device,
        ..Module::default()
    };
    let mut impls = Vec::new();
    modules.push(Module::default());
    for item in items {
        match item {
            Item::Static(item) if item.attrs.iter().any(attributes::is_constant) => {
                let marked = attributes::host_constant(item);
                module.items.insert(item.ident.to_string(), Item::Const(marked));
                continue;
            }
            Item::Impl(item) => {
                if is_device {
                    impls.push(item.clone());
                }
                continue;
            }
            Item::Mod(inner) => {
                if let Some((_, items)) = &inner.content {
                    let inner_path = format!("{path}::{}", inner.ident);
                    let is_device = inner.attrs.iter().any(attributes::is_device);
                    let inner_number = add(modules, items, Some(number), inner_path, is_device);
                    module.modules.insert(inner.ident.to_string(), inner_number);
                }
                continue;
            }
            Item::Use(item) => {
                used(&item.tree, &mut Vec::new(), &mut module);
                continue;
            }
            _ => {}
        }
        if let Some((name, _)) = named(item) {
            module.items.insert(name.to_string(), item.clone());
        }
    }
    modules[number] = Module {
        path,
        impls: Rc::new(impls),
        ..module
    };
    number
}

fn used(tree: &UseTree, path: &mut Vec<String>, module: &mut Module) {
    match tree {
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            used(&inner.tree, path, module);
            path.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            if let Some(last) = path.last() {
                module.uses.insert(last.clone(), path.clone());
            }
        }
        UseTree::Name(name) => {
            let mut target = path.clone();
            target.push(name.ident.to_string());
            module.uses.insert(name.ident.to_string(), target);
        }
        UseTree::Rename(rename) => {
            let mut target = path.clone();
            target.push(rename.ident.to_string());
            module.uses.insert(rename.rename.to_string(), target);
        }
        UseTree::Glob(_) => module.globs.push(path.clone()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| used(tree, path, module)),
    }
}

/// A name without the mark of a raw identifier.
pub(crate) fn plain(name: &Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

/// A number for some words (64-bit FNV-1a), the same in every build.
pub(crate) fn hash(words: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut add = |byte| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    for word in words {
        word.bytes().for_each(&mut add);
        add(0);
    }
    hash
}

#[cfg(test)]
mod tests;
