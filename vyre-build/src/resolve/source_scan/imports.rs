//! The names that the imports of a file bring.

use syn::{ItemEnum, ItemUse, UseTree};

use super::Surroundings;
use crate::resolve::names::plain;

impl Surroundings {
    /// The path of the standard library's module that an import beside this item brings under its name.
    pub(crate) fn imports_of_std(&self, name: &str) -> bool {
        self.has_import(
            name,
            |tree| matches!(tree, UseTree::Path(path) if path.ident == "std" && brings(&path.tree, name)),
        )
    }

    /// True if an import beside the item brings an item of the standard library under this name.
    pub(crate) fn imports_type_of_std(&self, name: &str) -> bool {
        const ROOTS: [&str; 3] = ["alloc", "core", "std"];
        let is_std = |tree: &UseTree| matches!(tree, UseTree::Path(it) if ROOTS.iter().any(|root| it.ident == root));
        self.has_import(name, |tree| is_std(tree) && brings_by_a_path(tree, name))
    }

    /// True if an import beside the item brings a name that is neither vyre's nor of the standard library.
    pub(crate) fn imports_own(&self, name: &str) -> bool {
        const OTHERS: [&str; 3] = ["core", "std", "vyre"];
        let is_own =
            |tree: &UseTree| !matches!(tree, UseTree::Path(it) if OTHERS.iter().any(|other| it.ident == other));
        self.has_import(name, |tree| is_own(tree) && brings_by_a_path(tree, name))
    }

    /// True if an import beside the item brings all names of a prelude.
    pub(crate) fn imports_prelude(&self) -> bool {
        self.has_import("prelude", |tree| brings_all_of(tree, "prelude"))
    }

    /// True if an import beside the item, with this word, is one for which `holds` is true.
    fn has_import(&self, word: &str, holds: impl Fn(&UseTree) -> bool) -> bool {
        let starts = self.words("use");
        let mut texts = starts.filter_map(|at| Some((at, &self.source[at..=at + self.source[at..].find(';')?])));
        texts.any(|(at, text)| {
            let holds = |it: ItemUse| holds(&it.tree);
            text.contains(word) && syn::parse_str(text).is_ok_and(holds) && self.is_beside(at)
        })
    }

    /// True if an import of the file mentions a name.
    pub(crate) fn imports(&self, name: &str) -> bool {
        let texts = self
            .words("use")
            .map(|at| self.source[at..].split(';').next().unwrap_or_default());
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        texts
            .flat_map(|text| text.split(|c| !is_part(c)))
            .any(|word| word == name)
    }

    /// True if an import of the file may bring a variant of an enum of core's: `use Ordering::*`, `use Ordering::{Less, Equal}`.
    pub(crate) fn imports_variant(&self, of: &str, variant: &str) -> bool {
        let texts = self
            .words("use")
            .filter_map(|at| Some(&self.source[at..=at + self.source[at..].find(';')?]));
        let mut texts = texts.filter(|text| text.contains(of));
        let is_of_core = |tree: &UseTree| matches!(tree, UseTree::Path(it) if it.ident == "core" || it.ident == "std" || it.ident == "cmp" || it.ident == of);
        let brings = |it: ItemUse| is_of_core(&it.tree) && brings_variant(&it.tree, of, variant);
        texts.any(|text| syn::parse_str(text).is_ok_and(brings))
    }

    /// The path, `Way::Left`, of the variant that an import beside the item brings under this name. Of an enum whose variants
    /// are all imported, the file has the definition.
    pub(crate) fn path_of_variant(&self, name: &str) -> Option<String> {
        let has = |of: &str| {
            let (_, at) = self.items(&["enum"], of).next()?;
            let item: ItemEnum = syn::parse_str(&format!("enum {}", self.to_brace(at)?)).ok()?;
            Some(item.variants.iter().any(|it| it.ident == name))
        };
        let is_alone = !self.has_import(name, |tree| brings_by_a_path(tree, name));
        let brings = Brings {
            one: &|of| self.defines("enum", of) || !self.defines("mod", of),
            all: &|of| is_alone && has(of) == Some(true),
        };
        let starts = self.words("use");
        let texts = starts.filter_map(|at| Some((at, &self.source[at..=at + self.source[at..].find(';')?])));
        let mut found = texts.filter_map(|(at, text)| {
            let may_be = text.contains(name) || text.contains('*');
            let import: ItemUse = may_be.then(|| syn::parse_str(text).ok())??;
            let path = variant_path(&import.tree, &mut Vec::new(), name, &brings)?;
            self.is_beside(at).then_some(path)
        });
        found.next()
    }

    /// True if an import beside the item brings what vyre has under this name.
    pub(crate) fn imports_vyres(&self, name: &str) -> bool {
        self.has_import(name, |tree| brings_from_vyre(tree, name))
    }

    /// True if the file has an import `name as alias`.
    pub(crate) fn renames(&self, name: &str, alias: &str) -> bool {
        self.words(name).any(|at| {
            let rest = self.source[at + name.len()..].split_whitespace();
            let mut words = rest.flat_map(|word| word.split_inclusive([',', ';', '}']));
            words.next() == Some("as") && words.next().map(|it| it.trim_end_matches([',', ';', '}'])) == Some(alias)
        })
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
    let of = before.last().filter(|of| of.starts_with(char::is_uppercase)).cloned();
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
