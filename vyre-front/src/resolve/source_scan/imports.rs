//! The names that the imports of a file bring.

use syn::{ItemEnum, ItemUse, UseTree};

use super::Surroundings;
use super::tokens::is_no_part;
use crate::resolve::names::plain;
use crate::resolve::spelling::is_capitalized;

impl Surroundings {
    /// The path of the standard library's module that an import beside this item brings under its name.
    pub(crate) fn imports_of_std(&self, name: &str) -> bool {
        self.has_import(
            name,
            &|tree| matches!(tree, UseTree::Path(path) if path.ident == "std" && brings(&path.tree, name)),
        )
    }

    /// True if an import beside the item brings an item of the standard library under this name.
    pub(crate) fn imports_type_of_std(&self, name: &str) -> bool {
        const ROOTS: [&str; 3] = ["alloc", "core", "std"];
        let is_std = |tree: &UseTree| matches!(tree, UseTree::Path(it) if ROOTS.iter().any(|root| it.ident == root));
        self.has_import(name, &|tree| is_std(tree) && brings_by_a_path(tree, name))
    }

    /// True if an import beside the item brings a name that is neither vyre's nor of the standard library.
    pub(crate) fn imports_own(&self, name: &str) -> bool {
        const OTHERS: [&str; 3] = ["core", "std", "vyre"];
        let is_own =
            |tree: &UseTree| !matches!(tree, UseTree::Path(it) if OTHERS.iter().any(|other| it.ident == other));
        self.has_import(name, &|tree| is_own(tree) && brings_by_a_path(tree, name))
    }

    /// True if an import beside the item brings all names of a prelude.
    pub(crate) fn imports_prelude(&self) -> bool {
        self.has_import("prelude", &|tree| brings_all_of(tree, "prelude"))
    }

    /// True if an import beside the item, with this word, is one for which `holds` is true.
    fn has_import(&self, word: &str, holds: &dyn Fn(&UseTree) -> bool) -> bool {
        for (at, text) in self.to_semicolons() {
            if text.contains(word)
                && let Ok(ItemUse { tree, .. }) = syn::parse_str(text)
                && holds(&tree)
                && self.is_beside(at)
            {
                return true;
            }
        }
        false
    }

    /// The imports of the file: where they begin, and their texts up to the semicolons.
    fn to_semicolons(&self) -> Vec<(usize, &str)> {
        let mut texts = Vec::new();
        for at in self.words("use") {
            if let Some(length) = self.source[at..].find(';') {
                texts.push((at, &self.source[at..=at + length]));
            }
        }
        texts
    }

    /// True if an import of the file mentions a name.
    pub(crate) fn imports(&self, name: &str) -> bool {
        for at in self.words("use") {
            let text = self.source[at..].split(';').next().unwrap_or_default();
            if text.split(is_no_part).any(|word| word == name) {
                return true;
            }
        }
        false
    }

    /// True if an import of the file may bring a variant of an enum of core's: `use Ordering::*`, `use Ordering::{Less, Equal}`.
    pub(crate) fn imports_variant(&self, of: &str, variant: &str) -> bool {
        let is_of_core = |tree: &UseTree| matches!(tree, UseTree::Path(it) if it.ident == "core" || it.ident == "std" || it.ident == "cmp" || it.ident == of);
        for (_, text) in self.to_semicolons() {
            if text.contains(of)
                && let Ok(ItemUse { tree, .. }) = syn::parse_str(text)
                && is_of_core(&tree)
                && brings_variant(&tree, of, variant)
            {
                return true;
            }
        }
        false
    }

    /// The path, `Way::Left`, of the variant that an import beside the item brings under this name. Of an enum whose variants
    /// are all imported, the file has the definition.
    pub(crate) fn path_of_variant(&self, name: &str) -> Option<String> {
        let has = |of: &str| {
            let &(_, at) = self.items(&["enum"], of).first()?;
            let item: ItemEnum = syn::parse_str(&format!("enum {}", self.to_brace(at)?)).ok()?;
            Some(item.variants.iter().any(|it| it.ident == name))
        };
        let is_alone = !self.has_import(name, &|tree| brings_by_a_path(tree, name));
        let brings = Brings {
            one: &|of| self.defines("enum", of) || !self.defines("mod", of),
            all: &|of| is_alone && has(of) == Some(true),
        };
        for (at, text) in self.to_semicolons() {
            if (text.contains(name) || text.contains('*'))
                && let Ok(ItemUse { tree, .. }) = syn::parse_str(text)
                && let Some(path) = variant_path(&tree, &mut Vec::new(), name, &brings)
                && self.is_beside(at)
            {
                return Some(path);
            }
        }
        None
    }

    /// True if an import beside the item brings what vyre has under this name.
    pub(crate) fn imports_vyres(&self, name: &str) -> bool {
        self.has_import(name, &|tree| brings_from_vyre(tree, name))
    }

    /// True if the file has an import `name as alias`.
    pub(crate) fn renames(&self, name: &str, alias: &str) -> bool {
        for at in self.words(name) {
            let mut words = self.source[at + name.len()..].split_whitespace();
            if words.next() == Some("as")
                && let Some(rest) = words.next().and_then(|word| word.strip_prefix(alias))
                && matches!(rest.as_bytes(), [] | [b',' | b';' | b'}', ..])
            {
                return true;
            }
        }
        false
    }
}

/// True if an import brings a name that is not changed.
fn brings(tree: &UseTree, name: &str) -> bool {
    match tree {
        UseTree::Name(it) => it.ident == name,
        UseTree::Group(it) => it.items.iter().any(|tree| brings(tree, name)),
        _ => false,
    }
}

/// True if an import brings a name, also from inside of modules.
pub(super) fn brings_by_a_path(tree: &UseTree, name: &str) -> bool {
    match tree {
        UseTree::Path(it) => brings_by_a_path(&it.tree, name),
        UseTree::Name(it) => plain(&it.ident) == name,
        UseTree::Rename(it) => plain(&it.rename) == name,
        UseTree::Group(it) => it.items.iter().any(|tree| brings_by_a_path(tree, name)),
        UseTree::Glob(_) => false,
    }
}

fn brings_from_vyre(tree: &UseTree, name: &str) -> bool {
    matches!(tree, UseTree::Path(it) if it.ident == "vyre" && brings(&it.tree, name))
}

/// True if an import brings all names of a module, or of one inside it.
fn brings_all_of(tree: &UseTree, module: &str) -> bool {
    match tree {
        UseTree::Path(it) if it.ident == module => match &*it.tree {
            UseTree::Path(inner) => has_glob(&inner.tree),
            tree => has_glob(tree),
        },
        UseTree::Path(it) => brings_all_of(&it.tree, module),
        UseTree::Group(it) => it.items.iter().any(|tree| brings_all_of(tree, module)),
        _ => false,
    }
}

/// True if an import brings a variant of an enum under its own name.
fn brings_variant(tree: &UseTree, of: &str, variant: &str) -> bool {
    match tree {
        UseTree::Path(it) if it.ident == of => has_glob(&it.tree) || brings(&it.tree, variant),
        UseTree::Path(it) => brings_variant(&it.tree, of, variant),
        UseTree::Group(it) => it.items.iter().any(|tree| brings_variant(tree, of, variant)),
        _ => false,
    }
}

/// The enums of which imports bring a variant.
struct Brings<'b> {
    /// By its name.
    one: &'b dyn Fn(&str) -> bool,
    /// With all others.
    all: &'b dyn Fn(&str) -> bool,
}

/// The path of a variant in an import that brings it as `name`.
fn variant_path(tree: &UseTree, before: &mut Vec<String>, name: &str, brings: &Brings<'_>) -> Option<String> {
    let of = before.last().filter(|of| is_capitalized(of)).cloned();
    let path = |last: &dyn ToString, is_enum: &dyn Fn(&str) -> bool| {
        let of = of.as_ref().filter(|of| is_enum(of))?;
        Some(format!("{of}::{}", last.to_string()))
    };
    match tree {
        UseTree::Path(it) => {
            before.push(it.ident.to_string());
            let found = variant_path(&it.tree, before, name, brings);
            before.pop();
            found
        }
        UseTree::Name(it) if it.ident == name => path(&it.ident, brings.one),
        UseTree::Rename(it) if it.rename == name => path(&it.ident, brings.one),
        UseTree::Glob(_) => path(&name, brings.all),
        UseTree::Group(it) => it
            .items
            .iter()
            .find_map(|tree| variant_path(tree, before, name, brings)),
        _ => None,
    }
}

fn has_glob(tree: &UseTree) -> bool {
    match tree {
        UseTree::Glob(_) => true,
        UseTree::Group(it) => it.items.iter().any(has_glob),
        _ => false,
    }
}
